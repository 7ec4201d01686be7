// See MergeCollectives.h.

#include "MergeCollectives.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

static constexpr StringLiteral kWhy = "partopt.why";

Operation *partopt::mergeCollectives(ArrayRef<Operation *> members,
                                     Operation *place,
                                     const std::string &what) {
  SmallVector<Location> locs;
  SmallVector<Value> operands, results;
  SmallVector<Type> types;
  llvm::SetVector<StringRef> reasons;
  for (Operation *member : members) {
    locs.push_back(member->getLoc());
    llvm::append_range(operands, member->getOperands());
    llvm::append_range(results, member->getResults());
    llvm::append_range(types, member->getResultTypes());
    if (auto why = member->getAttrOfType<StringAttr>(kWhy))
      reasons.insert(why.getValue());
  }
  OpBuilder builder(place);
  OperationState state(FusedLoc::get(builder.getContext(), locs),
                       members[0]->getName(), operands, types,
                       members[0]->getAttrs());
  std::string why = what;
  if (!reasons.empty())
    why += ": " + reasons.front().str() +
           (reasons.size() > 1 ? " and others" : "");
  state.attributes.set(kWhy, builder.getStringAttr(why));
  Operation *merged = builder.create(state);
  for (auto [before, after] : llvm::zip(results, merged->getResults()))
    before.replaceAllUsesWith(after);
  for (Operation *member : members)
    member->erase();
  return merged;
}
