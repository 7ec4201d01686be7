// Parses a model file into a module; every failure is a diagnostic.

#include "partopt/Import/Import.h"
#include "partopt/Import/SourceText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace partopt {

// The name that a line with "func.func" defines, pretty or generic; empty where
// there is none.
static StringRef definedName(StringRef line) {
  StringRef rest = line.split("func.func").second;
  auto [before, name] = rest.split("sym_name = \"");
  if (!name.empty())
    return name.take_until([](char c) { return c == '"'; });
  return rest.split('@')
      .second.take_until([](char c) { return c == '('; })
      .trim('"');
}

// Gives the module and functions whose location the exporter left unknown their
// place in the text, which messages about the whole step are to name.
static void locateFunctions(ModuleOp module, StringRef text, StringRef name) {
  MLIRContext *context = module.getContext();
  llvm::StringMap<func::FuncOp> unknown;
  for (auto func : module.getOps<func::FuncOp>())
    if (isa<UnknownLoc>(func.getLoc()))
      unknown[func.getSymName()] = func;
  if (isa<UnknownLoc>(module.getLoc()))
    module->setLoc(FileLineColLoc::get(context, name, 1, 1));
  for (unsigned number = 1; !unknown.empty() && !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    size_t column = line.find("func.func");
    auto found = column == StringRef::npos ? unknown.end()
                                           : unknown.find(definedName(line));
    if (found == unknown.end())
      continue;
    found->second->setLoc(
        FileLineColLoc::get(context, name, number, unsigned(column) + 1));
    unknown.erase(found);
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
