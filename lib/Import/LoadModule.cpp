// Parses a model file into a module; every failure is a diagnostic.

#include "partopt/Import/Import.h"
#include "partopt/Import/SourceText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace partopt {

// The place in the text of a function whose location the exporter left unknown,
// which messages about the whole step are to name.
static void locateFunctions(ModuleOp module, StringRef text, StringRef name) {
  auto placeAt = [&](size_t offset) {
    StringRef before = text.take_front(offset);
    StringRef line = before.substr(before.rfind('\n') + 1);
    return FileLineColLoc::get(module.getContext(), name,
                               unsigned(before.count('\n')) + 1,
                               unsigned(line.size()) + 1);
  };
  if (isa<UnknownLoc>(module.getLoc()))
    module->setLoc(placeAt(0));
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!isa<UnknownLoc>(func.getLoc()))
      continue;
    // In the generic form the name is an attribute.
    std::string pretty = ("@" + func.getSymName() + "(").str();
    std::string generic = ("sym_name = \"" + func.getSymName() + "\"").str();
    // Where it is defined, not called.
    size_t at = text.find(pretty);
    while (at != StringRef::npos &&
           !text.slice(text.rfind('\n', at) + 1, at).contains("func.func"))
      at = text.find(pretty, at + 1);
    if (at == StringRef::npos)
      at = text.find(generic);
    if (at == StringRef::npos)
      continue;
    size_t begin = text.take_front(at).rfind("func.func");
    func->setLoc(placeAt(begin == StringRef::npos ? at : begin));
  }
}

static OwningOpRef<ModuleOp>
parsePrepared(std::unique_ptr<llvm::MemoryBuffer> buffer,
              const std::string &error, MLIRContext *context) {
  if (!buffer) {
    emitError(UnknownLoc::get(context)) << error;
    return {};
  }
  llvm::SourceMgr sources;
  const llvm::MemoryBuffer &text = *buffer;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  auto module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  if (module)
    locateFunctions(*module, text.getBuffer(), text.getBufferIdentifier());
  return module;
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
