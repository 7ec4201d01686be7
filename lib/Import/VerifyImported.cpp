// The exit contract of the import stage.

#include "partopt/Import/Import.h"

#include "dialects/Sdy/Sdy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_VERIFYIMPORTEDPASS
#include "partopt/Import/Passes.h.inc"

namespace {

struct VerifyImportedPass : impl::VerifyImportedPassBase<VerifyImportedPass> {
  using VerifyImportedPassBase::VerifyImportedPassBase;

  LogicalResult checkEntry(func::FuncOp entry);

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    if (functions.size() != 1 || !functions[0].isPublic() ||
        functions[0].isExternal()) {
      getOperation().emitError()
          << "after import a module holds one public function with a body, "
          << "this one has " << functions.size() << " functions";
      return signalPassFailure();
    }
    if (failed(checkEntry(functions[0])))
      signalPassFailure();
  }
};

LogicalResult VerifyImportedPass::checkEntry(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments())
    for (StringRef name : {kRoleAttr, kNameAttr})
      if (!entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(), name))
        return emitError(argument.getLoc())
               << "argument " << argument.getArgNumber() << " has no '" << name
               << "'";
  for (unsigned i = 0, e = entry.getNumResults(); i < e; ++i)
    if (!entry.getResultAttrOfType<StringAttr>(i, kNameAttr))
      return entry.emitError()
             << "result " << i << " has no '" << kNameAttr << "'";
  WalkResult result = entry.walk([](CallOpInterface call) {
    call->emitOpError("is left after import; the entry calls nothing");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace
} // namespace partopt
