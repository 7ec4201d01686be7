// The context-parallel recipe: the sequence is split over an axis. Only
// attention joins positions, so only there something moves: queries, keys and
// values are exchanged so that each device has some heads of the whole
// sequence, or keys and values are gathered.

#include "AttentionDims.h"
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

enum class Form { Gather, Ulysses, Ring };

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
    for (const Attention &attention : dims.attentions()) {
      FailureOr<Form> form = choose(attention);
      if (failed(form))
        return failure();
      forms.push_back(*form);
    }
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      annotateArgument(i);
    annotateResults();
    for (auto [i, attention] : llvm::enumerate(dims.attentions()))
      for (const AttentionTensor &tensor : attention.inputs)
        constrainInput(tensor, i);
    for (auto [form, attention] : llvm::zip(forms, dims.attentions()))
      for (const AttentionTensor &tensor : attention.outputs)
        constrainOutput(tensor, form == Form::Ulysses);
    return success();
  }

private:
  const ApplyContextParallelPassOptions &options;
  AttentionDims dims;
  int64_t devices = 1;
  SmallVector<Form> forms; ///< by attention
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

  static int64_t bytesOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.getNumElements() *
           llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }

  /// What a device sends when the tensor moves from sequence to heads or back.
  double exchangeBytes(Value value, int64_t sequence, int64_t heads) const {
    auto type = cast<RankedTensorType>(value.getType());
    auto padded = [&](int64_t dim) {
      return double(llvm::alignTo(type.getDimSize(dim), devices)) /
             double(std::max<int64_t>(type.getDimSize(dim), 1));
    };
    return double(bytesOf(value)) * padded(sequence) * padded(heads) *
           double(devices - 1) / double(devices * devices);
  }

  double gatherBytes(Value value) const {
    return double(bytesOf(value)) * double(devices - 1) / double(devices);
  }

  /// A tensor where it is to move, with its dimensions; `heads` is -1 where it
  /// has none.
  struct Spot {
    OpOperand *use = nullptr; ///< of what goes in
    Value value;
    int64_t sequence = -1, heads = -1;
  };

  bool hasHeads(Value value, int64_t dim) {
    auto type = cast<RankedTensorType>(value.getType());
    return dim >= 0 && type.getDimSize(dim) / partsOf(value, dim) >= devices;
  }

  /// `value`, which has the same dimensions as `like` where their classes are
  /// the same; nothing where it is no better a spot to move.
  std::optional<Spot> smaller(Value value, const Spot &like, bool exchanges) {
    auto type = cast<RankedTensorType>(value.getType());
    const DimensionClasses &classes = dims.classes();
    auto sequence = classes.classOf(like.value, like.sequence);
    auto heads =
        like.heads < 0 ? std::nullopt : classes.classOf(like.value, like.heads);
    Spot spot;
    spot.value = value;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      auto number = classes.classOf(value, dim);
      if (number && number == sequence)
        spot.sequence = dim;
      else if (number && number == heads)
        spot.heads = dim;
    }
    // Or the same tensor, that went through a stack of one.
    bool isSame = type == like.value.getType();
    if (spot.sequence < 0 ||
        (!isSame && bytesOf(value) >= bytesOf(like.value)) ||
        (exchanges && !hasHeads(value, spot.heads)))
      return std::nullopt;
    return spot;
  }

  /// Before it was repeated for more heads, where that is.
  Spot spotOfInput(const AttentionTensor &tensor, bool exchanges) {
    Spot best{tensor.use, tensor.value, tensor.sequence,
              tensor.heads.value_or(-1)};
    for (OpOperand *use = tensor.use;;) {
      Operation *op = use->get().getDefiningOp();
      if (!op || !isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
        return best;
      use = &op->getOpOperand(0);
      if (std::optional<Spot> found = smaller(use->get(), best, exchanges)) {
        found->use = use;
        best = *found;
      }
    }
  }

  /// After it was summed over the heads that it was repeated for.
  Spot spotOfOutput(const AttentionTensor &tensor, bool exchanges) {
    Spot best{nullptr, tensor.value, tensor.sequence,
              tensor.heads.value_or(-1)};
    for (Value value = tensor.value; value.hasOneUse();) {
      Operation *op = *value.user_begin();
      auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
      bool sums = reduce && reduce.getInputs().size() == 1 &&
                  bodyCombiner(reduce.getBody()) == Combiner::Sum;
      if (!sums && !isa<stablehlo::ReshapeOp, stablehlo::TransposeOp>(op))
        break;
      value = op->getResult(0);
      if (std::optional<Spot> found = smaller(value, best, exchanges))
        best = *found;
    }
    return best;
  }

  static bool moves(const AttentionTensor &tensor, bool exchanges) {
    return exchanges || tensor.isKey;
  }

  double cost(const Attention &attention, bool exchanges) {
    double bytes = 0;
    llvm::DenseSet<Value> seen;
    auto add = [&](const Spot &spot) {
      if (seen.insert(spot.value).second)
        bytes += exchanges
                     ? exchangeBytes(spot.value, spot.sequence, spot.heads)
                     : gatherBytes(spot.value);
    };
    for (const AttentionTensor &tensor : attention.inputs)
      if (moves(tensor, exchanges))
        add(spotOfInput(tensor, exchanges));
    for (const AttentionTensor &tensor : attention.outputs)
      if (moves(tensor, exchanges))
        add(spotOfOutput(tensor, exchanges));
    return bytes;
  }

  bool canExchange(const Attention &attention) {
    auto fits = [&](const AttentionTensor &tensor) {
      return tensor.heads && hasHeads(tensor.value, *tensor.heads);
    };
    return llvm::all_of(attention.inputs, fits) &&
           llvm::all_of(attention.outputs, fits);
  }

  FailureOr<Form> choose(const Attention &attention) {
    if (options.form == "ring")
      return Form::Ring;
    bool can = canExchange(attention);
    if (options.form == "ulysses" && !can) {
      attention.scores->emitError()
          << "strategy " << options.name << ": this attention has "
          << attention.heads << " heads, too few to give each of the "
          << devices << " devices of axis \"" << options.axis
          << "\" some of its own; use a smaller axis, or --cp-form gather";
      return failure();
    }
    double gathered = cost(attention, /*exchanges=*/false);
    double exchanged = can ? cost(attention, /*exchanges=*/true) : 0;
    bool exchanges = options.form == "ulysses" ||
                     (options.form == "auto" && can && exchanged < gathered);
    auto bytes = [](double count) {
      return std::to_string(int64_t(count)) + " bytes";
    };
    std::string text =
        exchanges ? "heads are exchanged for positions by all_to_all, " +
                        bytes(exchanged)
                  : "keys and values are gathered, " + bytes(gathered);
    text += " per device and step (before other axes divide them)";
    if (exchanges)
      text += "; gathering keys and values: " + bytes(gathered);
    else if (can)
      text += "; exchanging heads: " + bytes(exchanged);
    else
      text += "; " + std::to_string(attention.heads) +
              " heads are too few to exchange them over " +
              std::to_string(devices) + " devices";
    addNote(attention.scores, "attention-form", text);
    return exchanges ? Form::Ulysses : Form::Gather;
  }

  //===--- Annotations ------------------------------------------------------//

  void annotateArgument(unsigned i) {
    StringRef role = roleOf(i);
    std::optional<int64_t> dim;
    if (role == "batch" || role == "param" || role == "opt" || role == "state")
      dim = dims.sequenceOf(func.getArgument(i));
    addAxes(i, dim.value_or(-1), axisRef(options.axis));
    if (dim && role != "batch")
      setStorage(i, options.axis, "compute");
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
  sdy::TensorShardingAttr inside(const Spot &spot, bool isKey, bool exchanges) {
    if (exchanges)
      return byHeads(spot.value, spot.heads);
    if (isKey)
      return wholeOver(spot.value, axisRef(options.axis));
    return bySequence(spot.value, spot.sequence);
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
    bool exchanges = forms[attention] == Form::Ulysses;
    Spot spot = spotOfInput(tensor, exchanges);
    Value &taken = constrained[spot.value];
    if (!taken) {
      taken =
          constrainedCopy(spot.value, bySequence(spot.value, spot.sequence));
      if (moves(tensor, exchanges))
        taken = constrainedCopy(taken, inside(spot, tensor.isKey, exchanges));
      if (tensor.isKey && forms[attention] == Form::Ring)
        taken.getDefiningOp()->setAttr(kRingAttr, ringMark(attention));
    }
    spot.use->set(taken);
    if (spot.use == tensor.use)
      return;
    // Repeated since: as it was taken.
    Value &repeated = constrained[tensor.value];
    Spot end{tensor.use, tensor.value, tensor.sequence,
             tensor.heads.value_or(-1)};
    if (!repeated)
      repeated =
          constrainedCopy(tensor.value, inside(end, tensor.isKey, exchanges));
    tensor.use->set(repeated);
  }

  /// The way back: parts of the heads, or sums over parts of the queries,
  /// become parts of the sequence.
  void constrainOutput(const AttentionTensor &tensor, bool exchanges) {
    Spot spot = spotOfOutput(tensor, exchanges);
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
        form != "ring") {
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
