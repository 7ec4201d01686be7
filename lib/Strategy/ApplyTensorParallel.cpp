// The tensor-parallel recipe: parameters and their optimizer state are split
// along the dimensions that TensorSplit chooses; activations follow by
// propagation.

#include "Recipe.h"
#include "TensorSplit.h"

#include "dialects/Sdy/ShardingQueries.h"
#include "partopt/Strategy/Passes.h"
#include "partopt/Support/Warnings.h"

using namespace mlir;

namespace partopt {
#define GEN_PASS_DEF_APPLYTENSORPARALLELPASS
#include "partopt/Strategy/Passes.h.inc"
} // namespace partopt

using namespace partopt;

namespace {

class TensorParallel : public Recipe {
public:
  TensorParallel(func::FuncOp func, sdy::MeshOp mesh,
                 const ApplyTensorParallelPassOptions &options)
      : Recipe(func, mesh, options.name), options(options) {}

  LogicalResult run() {
    if (failed(requireAxis(options.axis, "splits the model's weights", "tp")) ||
        failed(checkArguments(StringRef(options.axis))))
      return failure();
    if (sizeOf(options.axis) == 1) {
      // Nothing to split: what is not annotated is whole on every device.
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        addAxes(i, -1, {});
      return annotateResults(), success();
    }
    TensorSplit split(func, sizeOf(options.axis));
    split.choose(options.flopsPerByte);
    if (split.numChosen() == 0)
      return refuse();
    noteChoices(split);
    noteFewer(split);
    if (options.sequence)
      sums = split.partialSums();
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      annotateArgument(i, split);
    annotateResults();
    return options.sequence ? splitSequence(split) : success();
  }

private:
  void annotateArgument(unsigned i, const TensorSplit &split) {
    StringRef role = roleOf(i);
    BlockArgument argument = func.getArgument(i);
    bool splits = role == "param" || role == "opt" || role == "state";
    auto part = splits ? split.dimOf(argument) : std::nullopt;
    if (part) {
      addAxes(i, part->first, partOf(options.axis, part->second));
    } else if (auto row = splits ? split.dimWith(argument, sums)
                                 : std::optional<int64_t>()) {
      addAxes(i, *row, axisRef(options.axis));
    } else {
      addAxes(i, -1, {});
      return;
    }
    if (role == "param")
      setStorage(i, options.axis, kComputeOver);
  }

  /// Names half, a quarter, … of the axis that would work.
  LogicalResult refuse() {
    InFlightDiagnostic error =
        func.emitError()
        << "strategy " << options.name
        << " finds no dimension of a parameter that splits products over the "
        << sizeOf(options.axis) << " devices of axis \"" << options.axis
        << "\" for less than a byte sent per " << int64_t(options.flopsPerByte)
        << " operations; use ";
    for (int64_t devices = sizeOf(options.axis) / 2; devices > 1;
         devices /= 2) {
      TensorSplit smaller(func, devices);
      smaller.choose(options.flopsPerByte);
      if (smaller.numChosen() == 0)
        continue;
      error << "a smaller axis (--mesh " << options.axis << "=" << devices
            << " works), or ";
      break;
    }
    return error << "data parallelism (--strategy ddp or fsdp)";
  }

  /// What is split, for what, and where that is the wrong thing to do.
  void noteChoices(const TensorSplit &split) {
    double devices = double(sizeOf(options.axis));
    DimensionMeanings meanings(func, split.dimensions());
    for (const TensorSplit::Choice &choice : split.choices(func, meanings)) {
      std::string text = describe(choice.parameter.getArgNumber());
      llvm::raw_string_ostream out(text);
      out << ": dimension " << choice.dim << " ("
          << (choice.meaning.empty() ? "" : (choice.meaning + ", ").str())
          << choice.size << " elements)";
      if (choice.count > 1)
        out << " and " << choice.count - 1 << " more like it";
      out << " split over axis \"" << options.axis << "\", which "
          << (choice.count > 1 ? "each spare" : "spares") << " a device "
          << int64_t(choice.flops) << " operations per step for about "
          << int64_t(choice.bytes) << " bytes sent";
      double stored = 2 * choice.stored * (devices - 1) / devices;
      if (stored < choice.bytes)
        out << "; its parameters are small beside the batch: gathering them "
               "and "
               "scattering their gradients would send "
            << int64_t(stored) << " (fsdp over this axis)";
      addNote(func, "tensor-split", out.str());
    }
  }

  /// The largest dimension of a parameter, such as heads, that has fewer
  /// elements than the axis has devices, if it would be split over fewer.
  void noteFewer(const TensorSplit &split) {
    int64_t largest = 1, devices = sizeOf(options.axis);
    for (BlockArgument argument : func.getArguments())
      if (roleOf(argument.getArgNumber()) == "param")
        for (int64_t size :
             cast<RankedTensorType>(argument.getType()).getShape())
          if (size < devices)
            largest = std::max(largest, size);
    if (largest == 1)
      return;
    TensorSplit smaller(func, largest);
    smaller.choose(options.flopsPerByte);
    for (BlockArgument argument : func.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto wanted = smaller.dimOf(argument), taken = split.dimOf(argument);
      auto type = cast<RankedTensorType>(argument.getType());
      if (roleOf(i) != "param" || !wanted ||
          type.getDimSize(wanted->first) != largest)
        continue;
      std::string instead =
          taken ? "dimension " + std::to_string(taken->first) + " is" +
                      (taken->second < devices
                           ? ", " + std::to_string(devices / taken->second) +
                                 " devices having each part"
                           : "")
                : "none of its dimensions is";
      StringRef meaning =
          DimensionMeanings(func, smaller.dimensions())
              .of(*smaller.dimensions().classOf(argument, wanted->first));
      addNote(func, "tensor-split",
              describe(i) + ": dimension " + std::to_string(wanted->first) +
                  (meaning.empty() ? "" : " (" + meaning.str() + ")") +
                  " has " + std::to_string(largest) +
                  " elements, fewer than the " + std::to_string(devices) +
                  " devices of axis \"" + options.axis + "\", so " + instead +
                  " split instead; --mesh " + options.axis + "=" +
                  std::to_string(largest) + " would split it");
      return;
    }
  }

  /// Partial sums become parts of the sequence: one reduce-scatter, and a
  /// gather where the next product takes the whole.
  LogicalResult splitSequence(const TensorSplit &split) {
    if (sums.empty())
      return func.emitError()
             << "strategy " << options.name
             << " finds no sequence dimension of at least "
             << sizeOf(options.axis)
             << " beside the batch's rows in the sums that tensor parallelism "
                "leaves; use --strategy tp";
    for (auto [value, dim] : sums)
      constrain(value, splitAlong(value, dim, axisRef(options.axis)));
    // Between the products the axis is the sequence's, inside them the
    // weights'.
    for (auto [value, dim] : split.splitProducts())
      constrain(value, splitAlong(value, dim, axisRef(options.axis)));
    // Where rows are many, gathering the weights instead would send less; but
    // whoever splits weights has no room for them.
    DenseMap<Value, Value> whole;
    for (OpOperand *input : split.wholeInputs()) {
      Value &copy = whole[input->get()];
      if (!copy)
        copy = constrainedCopy(input->get(),
                               wholeOver(input->get(), axisRef(options.axis)));
      input->set(copy);
    }
    return success();
  }

  const ApplyTensorParallelPassOptions &options;
  /// With `sequence`: what becomes parts of the sequence, along which
  /// dimension.
  SmallVector<std::pair<Value, int64_t>> sums;
};

struct ApplyTensorParallel
    : partopt::impl::ApplyTensorParallelPassBase<ApplyTensorParallel> {
  using ApplyTensorParallelPassBase::ApplyTensorParallelPassBase;

  void runOnOperation() override {
    ApplyTensorParallelPassOptions options{axis, flopsPerByte, sequence, name};
    sdy::MeshOp mesh = sdy::getMainMesh(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (func.isPublic() && failed(TensorParallel(func, mesh, options).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> partopt::createApplyTensorParallelPass(
    const ApplyTensorParallelPassOptions &options) {
  return std::make_unique<ApplyTensorParallel>(options);
}
