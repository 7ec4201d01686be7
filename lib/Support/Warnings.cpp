// The list of warnings on the module, which the plan takes over.

#include "partopt/Support/Warnings.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

void partopt::addWarning(Operation *op, StringRef code, const Twine &message) {
  op->emitWarning(message);
  auto module = op->getParentOfType<ModuleOp>();
  Builder b(op->getContext());
  SmallVector<Attribute> warnings;
  if (auto old = module->getAttrOfType<ArrayAttr>("partopt.warnings"))
    warnings.assign(old.begin(), old.end());
  warnings.push_back(
      b.getDictionaryAttr({b.getNamedAttr("code", b.getStringAttr(code)),
                           b.getNamedAttr("message", b.getStringAttr(message)),
                           b.getNamedAttr("loc", LocationAttr(op->getLoc()))}));
  module->setAttr("partopt.warnings", b.getArrayAttr(warnings));
}
