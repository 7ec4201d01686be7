// Parses a model file into a module; every failure is a diagnostic.

#include "partopt/Import/Import.h"
#include "partopt/Import/SourceText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace partopt {

static OwningOpRef<ModuleOp>
parsePrepared(std::unique_ptr<llvm::MemoryBuffer> buffer,
              const std::string &error, MLIRContext *context) {
  if (!buffer) {
    emitError(UnknownLoc::get(context)) << error;
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

OwningOpRef<ModuleOp> loadModule(MLIRContext *context, StringRef path) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = readSource(path, error);
  return parsePrepared(std::move(buffer), error, context);
}

OwningOpRef<ModuleOp> parseModelText(StringRef data, StringRef name,
                                     MLIRContext *context) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = prepareSource(data, name, error);
  return parsePrepared(std::move(buffer), error, context);
}

} // namespace partopt
