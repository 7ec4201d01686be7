// The exit contract of the import stage.

#include "partopt/Import/Import.h"

#include "dialects/Sdy/Sdy.h"
#include "partopt/Support/NextValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_VERIFYIMPORTEDPASS
#include "partopt/Import/Passes.h.inc"

namespace {

struct VerifyImportedPass : impl::VerifyImportedPassBase<VerifyImportedPass> {
  using VerifyImportedPassBase::VerifyImportedPassBase;

  LogicalResult checkEntry(func::FuncOp entry);
  LogicalResult checkNextValues(func::FuncOp entry);

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

/// A result is the next value of one argument, of its type, and the one that a
/// donated argument's buffer takes.
LogicalResult VerifyImportedPass::checkNextValues(func::FuncOp entry) {
  llvm::SmallDenseMap<unsigned, unsigned> argumentOf;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    auto refuse = [&] {
      return emitError(entry.getArgument(i).getLoc())
             << "argument " << i << " has '" << kNextResultAttr << "' "
             << entry.getArgAttr(i, kNextResultAttr);
    };
    if (!entry.getArgAttr(i, kNextResultAttr))
      continue;
    auto number = entry.getArgAttrOfType<IntegerAttr>(i, kNextResultAttr);
    if (number && number.getInt() == -1)
      continue;
    std::optional<unsigned> next = nextResultOf(entry, i);
    if (!number || !next)
      return refuse() << ", which is neither the number of a result nor -1";
    if (entry.getResultTypes()[*next] != entry.getArgumentTypes()[i])
      return refuse() << ", but is of type " << entry.getArgumentTypes()[i]
                      << " and the result of type "
                      << entry.getResultTypes()[*next];
    if (auto alias = entry.getArgAttrOfType<IntegerAttr>(i, kAliasingAttr);
        alias && alias.getInt() != int64_t(*next))
      return refuse() << ", but '" << kAliasingAttr << "' " << alias;
    auto [at, isFirst] = argumentOf.try_emplace(*next, i);
    if (!isFirst)
      return refuse() << ", which is the next value of argument " << at->second;
  }
  return success();
}

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
  if (failed(checkNextValues(entry)))
    return failure();
  WalkResult result = entry.walk([](CallOpInterface call) {
    call->emitOpError("is left after import; the entry calls nothing");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace
} // namespace partopt
