// The context-parallel recipe: the sequence is split over an axis. Only
// attention joins positions, so only there something moves: queries, keys and
// values are exchanged so that each device has some heads of the whole
// sequence, or keys and values are gathered.

#include "AttentionDims.h"
#include "ContextForms.h"
#include "Recipe.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Strategy/Passes.h"
#include "partopt/Support/UnitAttributes.h"
#include "partopt/Support/Warnings.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_APPLYCONTEXTPARALLELPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

class ContextParallel : public Recipe {
public:
  ContextParallel(func::FuncOp func, sdy::MeshOp mesh,
                  const ApplyContextParallelPassOptions &options)
      : Recipe(func, mesh, options.name), options(options), dims(func) {}

  LogicalResult run() {
    if (failed(requireAxis(options.axis, "splits the sequence", "cp")) ||
        failed(checkArguments(StringRef(options.axis))))
      return failure();
    devices = sizeOf(options.axis);
    if (dims.attentions().empty())
      return refuseNoAttention();
    for (const Attention &attention : dims.attentions())
      if (failed(check(attention)))
        return failure();
    findHeadAxes();
    spots =
        ContextSpots(dims.classes(), devices, [this](Value value, int64_t dim) {
          return partsOf(value, dim);
        });
    ContextPrices prices(spots);
    for (const Attention &attention : dims.attentions()) {
      FailureOr<ContextForm> form = choose(prices, attention);
      if (failed(form))
        return failure();
      forms.push_back(*form);
    }
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      annotateArgument(i);
    annotateResults();
    for (auto [i, attention] : llvm::enumerate(dims.attentions())) {
      for (const AttentionTensor &tensor : attention.inputs)
        constrainInput(tensor, i);
      if (forms[i] == ContextForm::Ring)
        keep(attention);
    }
    for (auto [form, attention] : llvm::zip(forms, dims.attentions()))
      for (const AttentionTensor &tensor : attention.outputs)
        constrainOutput(tensor, form == ContextForm::Ulysses);
    return success();
  }

private:
  const ApplyContextParallelPassOptions &options;
  AttentionDims dims;
  int64_t devices = 1;
  SmallVector<ContextForm> forms; ///< by attention
  ContextSpots spots;
  /// By class: the axes that other recipes split heads over.
  llvm::DenseMap<unsigned, SmallVector<sdy::AxisRefAttr>> headAxes;
  /// Inputs with their constraint, shared by all uses.
  llvm::DenseMap<Value, Value> constrained;

  LogicalResult refuseNoAttention() {
    return func.emitError()
           << "strategy " << options.name
           << " finds no attention: no softmax over the keys of a product of "
              "two activations that has as many queries, so there is no "
              "sequence to split; use --strategy ddp, fsdp or tp";
  }

  LogicalResult check(const Attention &attention) {
    if (attention.keys >= devices)
      return success();
    return attention.scores->emitError()
           << "strategy " << options.name << ": the sequence has "
           << attention.keys << " positions, fewer than the " << devices
           << " devices of axis \"" << options.axis << "\"; use at most --mesh "
           << options.axis << "=" << attention.keys;
  }

  //===--- The form ---------------------------------------------------------//

  void findHeadAxes() {
    for (BlockArgument argument : func.getArguments()) {
      sdy::TensorShardingAttr sharding = sdy::getSharding(argument);
      if (!sharding || roleOf(argument.getArgNumber()) != "param")
        continue;
      for (auto [dim, axes] : llvm::enumerate(sharding.getDimShardings()))
        if (auto number = dims.classes().classOf(argument, dim);
            number && !axes.getAxes().empty() && !headAxes.count(*number))
          headAxes[*number].assign(axes.getAxes().begin(),
                                   axes.getAxes().end());
    }
  }

  SmallVector<sdy::AxisRefAttr> axesOf(Value value, int64_t dim) const {
    SmallVector<sdy::AxisRefAttr> axes;
    if (auto number = dims.classes().classOf(value, dim))
      if (auto it = headAxes.find(*number); it != headAxes.end())
        axes = it->second;
    return axes;
  }

  int64_t partsOf(Value value, int64_t dim) {
    int64_t parts = 1;
    for (sdy::AxisRefAttr axis : axesOf(value, dim))
      parts *= axis.getSize(mesh.getMesh());
    return parts;
  }

  FailureOr<ContextForm> choose(const ContextPrices &prices,
                                const Attention &attention) {
    bool can = prices.canExchange(attention);
    if (options.form == "ulysses" && !can) {
      attention.scores->emitError()
          << "strategy " << options.name << ": this attention has "
          << attention.heads << " heads, too few to give each of the "
          << devices << " devices of axis \"" << options.axis
          << "\" some of its own; use a smaller axis, or --cp-form gather or "
             "ring";
      return failure();
    }
    ContextForm form = ContextForm::Gather;
    if (options.form == "ring" || options.form == "auto:ring")
      form = ContextForm::Ring;
    else if (options.form == "ulysses" ||
             (options.form == "auto" && can &&
              prices.bytes(attention, ContextForm::Ulysses) <
                  prices.bytes(attention, ContextForm::Gather)))
      form = ContextForm::Ulysses;
    addNote(attention.scores, "attention-form",
            prices.describe(attention, form));
    return form;
  }

  //===--- Annotations ------------------------------------------------------//

  void annotateArgument(unsigned i) {
    StringRef role = roleOf(i);
    std::optional<int64_t> dim;
    if (role == "batch" || role == "param" || role == "opt" || role == "state")
      dim = dims.sequenceOf(func.getArgument(i));
    addAxes(i, dim.value_or(-1), axisRef(options.axis));
    if (dim && role != "batch")
      setStorage(i, options.axis, kComputeOver);
  }

  sdy::TensorShardingAttr bySequence(Value value, int64_t dim) {
    return splitAlong(value, dim, axisRef(options.axis));
  }
  sdy::TensorShardingAttr byHeads(Value value, int64_t dim) {
    SmallVector<sdy::AxisRefAttr> axes = axesOf(value, dim);
    axes.push_back(axisRef(options.axis));
    return splitAlong(value, dim, axes);
  }

  /// What attention takes: parts of the heads, all of the keys, or parts of
  /// the queries.
  sdy::TensorShardingAttr inside(const ContextSpot &spot, bool isKey,
                                 bool exchanges) {
    if (exchanges)
      return byHeads(spot.value, spot.heads);
    if (isKey)
      return wholeOver(spot.value, axisRef(options.axis));
    return bySequence(spot.value, spot.sequence);
  }

  /// A ring makes scores again from what it saves: nothing with keys, and no
  /// sum over them, is left for --recompute.
  static void keep(const Attention &attention) {
    auto mark = [](Operation *op) {
      op->setAttr(kKeepAttr, UnitAttr::get(op->getContext()));
    };
    for (Operation *op : attention.matrices) {
      mark(op);
      llvm::for_each(op->getUsers(), mark);
    }
    // Back to where the keys are made whole.
    for (const AttentionTensor &tensor : attention.inputs)
      for (Operation *op = tensor.use->get().getDefiningOp();
           op && tensor.isKey; op = op->getOperand(0).getDefiningOp()) {
        mark(op);
        if (op->hasAttr(kRingAttr) || op->getNumOperands() != 1)
          break;
      }
  }

  /// Which gathers belong to one attention.
  DictionaryAttr ringMark(size_t attention) {
    Builder builder(func.getContext());
    NamedAttrList mark;
    mark.append("attention", builder.getI64IntegerAttr(int64_t(attention)));
    if (options.form == "ring")
      mark.append("required", builder.getUnitAttr());
    return mark.getDictionary(func.getContext());
  }

  /// Parts of the sequence come in.
  void constrainInput(const AttentionTensor &tensor, size_t attention) {
    bool exchanges = forms[attention] == ContextForm::Ulysses;
    ContextSpot spot = spots.ofInput(tensor, exchanges);
    Value &taken = constrained[spot.value];
    if (!taken) {
      taken =
          constrainedCopy(spot.value, bySequence(spot.value, spot.sequence));
      if (exchanges || tensor.isKey)
        taken = constrainedCopy(taken, inside(spot, tensor.isKey, exchanges));
      if (tensor.isKey && forms[attention] == ContextForm::Ring)
        taken.getDefiningOp()->setAttr(kRingAttr, ringMark(attention));
    }
    spot.use->set(taken);
    if (spot.use == tensor.use)
      return;
    // Repeated since: as it was taken.
    Value &repeated = constrained[tensor.value];
    ContextSpot end{tensor.use, tensor.value, tensor.sequence,
                    tensor.heads.value_or(-1)};
    if (!repeated)
      repeated =
          constrainedCopy(tensor.value, inside(end, tensor.isKey, exchanges));
    tensor.use->set(repeated);
  }

  /// The way back: parts of the heads, or sums over parts of the queries,
  /// become parts of the sequence.
  void constrainOutput(const AttentionTensor &tensor, bool exchanges) {
    ContextSpot spot = spots.ofOutput(tensor, exchanges);
    Value made = spot.value, left = made;
    if (exchanges && made != tensor.value)
      constrain(tensor.value, byHeads(tensor.value, *tensor.heads));
    if (exchanges)
      left = constrainedCopy(made, byHeads(made, spot.heads));
    auto outside = constrainedCopy(left, bySequence(made, spot.sequence));
    made.replaceAllUsesExcept(outside, exchanges ? left.getDefiningOp()
                                                 : outside.getOperation());
  }
};

struct ApplyContextParallel
    : partopt::impl::ApplyContextParallelPassBase<ApplyContextParallel> {
  using ApplyContextParallelPassBase::ApplyContextParallelPassBase;

  void runOnOperation() override {
    if (form != "auto" && form != "ulysses" && form != "gather" &&
        form != "ring" && form != "auto:ring") {
      getOperation().emitError()
          << "form is auto, ulysses, gather or ring, not " << form;
      return signalPassFailure();
    }
    ApplyContextParallelPassOptions options{axis, form, name};
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    if (mesh && options.axis == "context" &&
        !mesh.getMesh().hasAxis("context") && mesh.getMesh().hasAxis("seq"))
      options.axis = "seq";
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && failed(ContextParallel(func, mesh, options).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createApplyContextParallelPass(
    const ApplyContextParallelPassOptions &options) {
  return std::make_unique<ApplyContextParallel>(options);
}
