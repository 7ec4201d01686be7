// partopt-assign-wrap-units: which parameters are gathered, freed and reduced
// together. Only annotates; what is there already stays.

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Analysis/Layers.h"
#include "partopt/Strategy/Passes.h"
#include "partopt/Support/ArgumentRole.h"
#include "partopt/Support/UnitAttributes.h"

#include "llvm/Support/Regex.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_ASSIGNWRAPUNITSPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

/// The unit of each parameter by one of the ways of --wrap.
class UnitAssigner {
public:
  explicit UnitAssigner(func::FuncOp func)
      : func(func), layers(func, TrainingStep(func)) {}

  void byLayer() {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      give(i, layers.layerText(i));
  }

  /// Parameters in forward order, a new unit wherever one has `limit` bytes.
  /// Rows of a stack belong to their layers whatever the size.
  void bySize(int64_t limit) {
    unsigned number = 0;
    int64_t bytes = 0;
    llvm::DenseSet<unsigned> given;
    for (const Layer &layer : layers.all())
      for (const ParameterPiece &piece : layer.parameters) {
        if (!given.insert(piece.argument).second)
          continue;
        if (piece.row >= 0) {
          give(piece.argument, layers.layerText(piece.argument));
          continue;
        }
        give(piece.argument, "unit" + std::to_string(number));
        auto type =
            cast<RankedTensorType>(func.getArgument(piece.argument).getType());
        bytes += type.getNumElements() *
                 llvm::divideCeil(type.getElementTypeBitWidth(), 8);
        if (bytes >= limit) {
          ++number;
          bytes = 0;
        }
      }
  }

  /// What `regex` matches of a name (its first group, if it has one) names the
  /// unit; the rest is one unit.
  LogicalResult byName(StringRef pattern) {
    llvm::Regex regex(pattern);
    bool matches = false;
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      auto name = func.getArgAttrOfType<StringAttr>(i, "partopt.name");
      SmallVector<StringRef> found;
      if (!name || roleOf(func, i) != "param")
        continue;
      bool isMatch = regex.match(name.getValue(), &found);
      matches |= isMatch;
      give(i, isMatch ? found[found.size() > 1 ? 1 : 0] : "root");
    }
    if (matches)
      return success();
    return func.emitError() << "--wrap '" << pattern
                            << "' matches no parameter's name; explain --roles "
                               "shows them";
  }

private:
  void give(unsigned argument, StringRef unit) {
    if (!unit.empty() && roleOf(func, argument) == "param" &&
        !func.getArgAttr(argument, kWrapUnitAttr))
      func.setArgAttr(argument, kWrapUnitAttr,
                      StringAttr::get(func.getContext(), unit));
  }

  func::FuncOp func;
  Layers layers;
};

struct AssignWrapUnits
    : partopt::impl::AssignWrapUnitsPassBase<AssignWrapUnits> {
  using AssignWrapUnitsPassBase::AssignWrapUnitsPassBase;

  void runOnOperation() override {
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    if (wrap == "none" || !mesh || mesh.getMesh().getAxes().empty())
      return;
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (!func.isPublic() || func.isExternal() ||
          !func.getBody().hasOneBlock())
        continue;
      UnitAssigner assigner(func);
      if (bytes > 0)
        assigner.bySize(bytes);
      else if (wrap == "auto" || wrap == "layer")
        assigner.byLayer();
      else if (failed(assigner.byName(wrap)))
        return signalPassFailure();
    }
  }
};

} // namespace
