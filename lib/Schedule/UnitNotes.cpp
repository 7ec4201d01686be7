// See UnitNotes.h. A gathered copy is there from the start of its gather to the
// last op that reads it, through views.

#include "UnitNotes.h"

#include "dialects/Comm/Comm.h"
#include "dialects/StableHLO/ShapeOps.h"
#include "partopt/Analysis/Layout.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "llvm/ADT/StringSet.h"

#include <map>

using namespace mlir;
using namespace partopt;

namespace {
class GatherCount {
public:
  explicit GatherCount(Block &block) {
    int64_t next = 0;
    for (Operation &op : block)
      place[&op] = next++;
    for (auto gather : block.getOps<comm::AllGatherOp>())
      if (gather->hasAttr(kStorageGatherAttr))
        add(gather);
    for (auto scatter : block.getOps<comm::ReduceScatterOp>())
      scatters += scatter->hasAttr(kWrapUnitAttr);
  }

  /// The most bytes of gathered copies at one op.
  int64_t mostBytes() const {
    int64_t bytes = 0, most = 0;
    for (auto [at, change] : changes)
      most = std::max(most, bytes += change);
    return most;
  }

  llvm::StringSet<> units;
  unsigned gathers = 0, scatters = 0;
  int64_t least = INT64_MAX, largest = 0;

private:
  void add(comm::AllGatherOp gather) {
    auto unit = gather->getAttrOfType<StringAttr>(kWrapUnitAttr);
    units.insert(unit ? unit.getValue() : "");
    ++gathers;
    int64_t bytes = 0;
    for (Value result : gather->getResults()) {
      int64_t part = tensorBytes(comm::getValueType(result.getType()));
      bytes += part;
      changes[place.lookup(gather)] += part;
      changes[lastUse(result) + 1] -= part;
    }
    least = std::min(least, bytes);
    largest = std::max(largest, bytes);
  }

  int64_t lastUse(Value value) const {
    int64_t last = 0;
    SmallVector<Value> work{value};
    while (!work.empty())
      for (OpOperand &use : work.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        last = std::max(last, place.lookup(user));
        if (isa<comm::WaitOp>(user))
          work.push_back(user->getResult(use.getOperandNumber()));
        else if (isa<stablehlo::ReshapeOp>(user))
          work.push_back(user->getResult(0));
      }
    return last;
  }

  llvm::DenseMap<Operation *, int64_t> place;
  std::map<int64_t, int64_t> changes;
};
} // namespace

void partopt::noteUnits(func::FuncOp func, unsigned prefetch) {
  GatherCount count(func.getBody().front());
  if (count.gathers == 0 && count.scatters > 0)
    addNote(func, "wrap-units",
            "gradients leave in " + Twine(count.scatters) +
                " reduce_scatters, one for each unit of parameters");
  if (count.gathers == 0)
    return;
  addNote(func, "wrap-units",
          "stored parameters are gathered in " + Twine(count.units.size()) +
              (count.units.size() == 1 ? " unit by " : " units by ") +
              Twine(count.gathers) + " all_gathers of " + Twine(count.least) +
              " to " + Twine(count.largest) +
              " bytes, their gradients leave in " + Twine(count.scatters) +
              " reduce_scatters; units are gathered " + Twine(prefetch) +
              " ahead of their use, so that at most " +
              Twine(count.mostBytes()) + " gathered bytes are there at once");
}
