// The lists of warnings and notes on the module, which the plan takes over.

#include "partopt/Support/Warnings.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

static void append(Operation *op, StringRef list, StringRef code,
                   const Twine &message) {
  auto module = op->getParentOfType<ModuleOp>();
  Builder b(op->getContext());
  SmallVector<Attribute> entries;
  if (auto old = module->getAttrOfType<ArrayAttr>(list))
    entries.assign(old.begin(), old.end());
  entries.push_back(
      b.getDictionaryAttr({b.getNamedAttr("code", b.getStringAttr(code)),
                           b.getNamedAttr("message", b.getStringAttr(message)),
                           b.getNamedAttr("loc", LocationAttr(op->getLoc()))}));
  module->setAttr(list, b.getArrayAttr(entries));
}

void partopt::addWarning(Operation *op, StringRef code, const Twine &message) {
  op->emitWarning(message);
  append(op, "partopt.warnings", code, message);
}

void partopt::addNote(Operation *op, StringRef code, const Twine &message) {
  append(op, "partopt.notes", code, message);
}
