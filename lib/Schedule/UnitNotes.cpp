// See UnitNotes.h. How many gathered bytes are there at once is what the
// memory's classes say.

#include "UnitNotes.h"

#include "dialects/Comm/Comm.h"
#include "partopt/Analysis/Layout.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace partopt;

namespace {
struct GatherCount {
  explicit GatherCount(Block &block) {
    for (auto gather : block.getOps<comm::AllGatherOp>())
      if (gather->hasAttr(kStorageGatherAttr))
        add(gather);
    for (auto scatter : block.getOps<comm::ReduceScatterOp>())
      scatters += scatter->hasAttr(kWrapUnitAttr);
  }

  llvm::StringSet<> units;
  unsigned gathers = 0, scatters = 0;
  bool isAgain = false; ///< for the backward pass
  int64_t least = INT64_MAX, largest = 0;

private:
  void add(comm::AllGatherOp gather) {
    auto storage = gather->getAttrOfType<StringAttr>(kStorageGatherAttr);
    auto unit = gather->getAttrOfType<StringAttr>(kWrapUnitAttr);
    units.insert(unit ? unit.getValue() : "");
    ++gathers;
    isAgain |= storage && storage.getValue() == kGatherBackward;
    int64_t bytes = 0;
    for (Value result : gather->getResults())
      bytes += tensorBytes(comm::getValueType(result.getType()));
    least = std::min(least, bytes);
    largest = std::max(largest, bytes);
  }
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
              " ahead of their use, " +
              (count.isAgain ? "and again for the backward pass"
                             : "and kept for the backward pass "
                               "(--reshard-after-forward yes gathers again)"));
}
