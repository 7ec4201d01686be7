// See ContextForms.h; the formulas stand in docs/RationaleStrategy.md.

#include "ContextForms.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/CausalMask.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partopt;

static int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

//===--- Where tensors move
//------------------------------------------------===//

bool ContextSpots::hasHeads(Value value, int64_t dim) const {
  auto type = cast<RankedTensorType>(value.getType());
  return dim >= 0 && type.getDimSize(dim) / partsOf(value, dim) >= devices;
}

/// `value`, which has the same dimensions as `like` where their classes are the
/// same; nothing where it is no better a spot to move.
std::optional<ContextSpot> ContextSpots::smaller(Value value,
                                                 const ContextSpot &like,
                                                 bool exchanges) const {
  auto type = cast<RankedTensorType>(value.getType());
  auto sequence = classes->classOf(like.value, like.sequence);
  auto heads =
      like.heads < 0 ? std::nullopt : classes->classOf(like.value, like.heads);
  ContextSpot spot;
  spot.value = value;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto number = classes->classOf(value, dim);
    if (number && number == sequence)
      spot.sequence = dim;
    else if (number && number == heads)
      spot.heads = dim;
  }
  // Or the same tensor, that went through a stack of one.
  bool isSame = type == like.value.getType();
  if (spot.sequence < 0 || (!isSame && bytesOf(value) >= bytesOf(like.value)) ||
      (exchanges && !hasHeads(value, spot.heads)))
    return std::nullopt;
  return spot;
}

ContextSpot ContextSpots::ofInput(const AttentionTensor &tensor,
                                  bool exchanges) const {
  ContextSpot best{tensor.use, tensor.value, tensor.sequence,
                   tensor.heads.value_or(-1)};
  for (OpOperand *use = tensor.use;;) {
    Operation *op = use->get().getDefiningOp();
    if (!op || !isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
      return best;
    use = &op->getOpOperand(0);
    if (auto found = smaller(use->get(), best, exchanges)) {
      found->use = use;
      best = *found;
    }
  }
}

ContextSpot ContextSpots::ofOutput(const AttentionTensor &tensor,
                                   bool exchanges) const {
  ContextSpot best{nullptr, tensor.value, tensor.sequence,
                   tensor.heads.value_or(-1)};
  for (Value value = tensor.value; value.hasOneUse();) {
    Operation *op = *value.user_begin();
    auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
    bool sums = reduce && reduce.getInputs().size() == 1 &&
                bodyCombiner(reduce.getBody()) == Combiner::Sum;
    if (!sums && !isa<stablehlo::ReshapeOp, stablehlo::TransposeOp>(op))
      break;
    value = op->getResult(0);
    if (auto found = smaller(value, best, exchanges))
      best = *found;
  }
  return best;
}

//===--- Prices
//------------------------------------------------------------===//

bool ContextPrices::canExchange(const Attention &attention) const {
  auto fits = [&](const AttentionTensor &tensor) {
    return tensor.heads && spots.hasHeads(tensor.value, *tensor.heads);
  };
  return llvm::all_of(attention.inputs, fits) &&
         llvm::all_of(attention.outputs, fits);
}

static double padded(Value value, int64_t dim, int64_t parts) {
  int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(dim);
  return double(llvm::alignTo(size, parts)) /
         double(std::max<int64_t>(size, 1));
}

/// When the tensor moves from sequence to heads or back.
double ContextPrices::exchanged(const ContextSpot &spot) const {
  return double(bytesOf(spot.value)) * padded(spot.value, spot.sequence, n) *
         padded(spot.value, spot.heads, n) * double(n - 1) / double(n * n);
}

/// True where halves of blocks change places, so that each device computes half
/// of what all pairs of queries and keys would be.
bool ContextPrices::isBalanced(const Attention &attention) const {
  ScoreMatrix matrix;
  matrix.scores = attention.softmax;
  matrix.queryDim = attention.queryDim;
  matrix.keyDim = attention.keyDim;
  return attention.keys % (2 * n) == 0 && isCausal(matrix);
}

double ContextPrices::ringBytes(const Attention &attention) const {
  llvm::DenseSet<Value> seen;
  double in = 0, out = 0, queries = 0;
  auto add = [&](const ContextSpot &spot, bool isKey, double &keys) {
    if (seen.insert(spot.value).second)
      (isKey ? keys : queries) +=
          double(bytesOf(spot.value)) * padded(spot.value, spot.sequence, n);
  };
  for (const AttentionTensor &tensor : attention.inputs)
    add(tensor.isKey ? spots.ofInput(tensor, false)
                     : ContextSpot{nullptr, tensor.value, tensor.sequence, -1},
        tensor.isKey, in);
  for (const AttentionTensor &tensor : attention.outputs)
    add(tensor.isKey ? spots.ofOutput(tensor, false)
                     : ContextSpot{nullptr, tensor.value, tensor.sequence, -1},
        tensor.isKey, out);
  bool hasBackward = out > 0;
  double turns = hasBackward ? 2 : 1;
  double sent = turns * double(n - 1) / double(n) * in + out;
  if (!isBalanced(attention))
    return sent;
  // Each half to another device; of two devices one half stays.
  double rows = double(bytesOf(attention.softmax)) / double(attention.keys);
  double moved = (in + out + queries + turns * rows) / double(n);
  return sent + (n > 2 ? moved : moved / 2);
}

double ContextPrices::bytes(const Attention &attention,
                            ContextForm form) const {
  if (form == ContextForm::Ring)
    return ringBytes(attention);
  bool exchanges = form == ContextForm::Ulysses;
  double bytes = 0;
  llvm::DenseSet<Value> seen;
  auto add = [&](const ContextSpot &spot) {
    if (seen.insert(spot.value).second)
      bytes += exchanges
                   ? exchanged(spot)
                   : double(bytesOf(spot.value)) * double(n - 1) / double(n);
  };
  for (const AttentionTensor &tensor : attention.inputs)
    if (exchanges || tensor.isKey)
      add(spots.ofInput(tensor, exchanges));
  for (const AttentionTensor &tensor : attention.outputs)
    if (exchanges || tensor.isKey)
      add(spots.ofOutput(tensor, exchanges));
  return bytes;
}

/// Of one matrix of scores.
double ContextPrices::scoreBytes(const Attention &attention,
                                 ContextForm form) const {
  double all = double(bytesOf(attention.softmax)) / double(n);
  if (form != ContextForm::Ring)
    return all;
  return all / double(n) / (isBalanced(attention) ? 4 : 1);
}

static std::string text(double bytes) {
  return std::to_string(int64_t(bytes)) + " bytes";
}

std::string ContextPrices::describe(const Attention &attention,
                                    ContextForm form) const {
  bool can = canExchange(attention);
  std::string gather = text(bytes(attention, ContextForm::Gather)),
              ring = text(bytes(attention, ContextForm::Ring)), ulysses;
  if (can)
    ulysses = text(bytes(attention, ContextForm::Ulysses));
  std::string said;
  if (form == ContextForm::Ulysses)
    said = "heads are exchanged for positions by all_to_all, " + ulysses;
  else if (form == ContextForm::Gather)
    said = "keys and values are gathered, " + gather;
  else
    said = "keys and values go around a ring, " + ring;
  said += " per device and step (before other axes divide them)";
  if (form != ContextForm::Gather)
    said += "; gathering keys and values: " + gather;
  if (form != ContextForm::Ulysses)
    said += can ? "; exchanging heads: " + ulysses
                : "; " + std::to_string(attention.heads) +
                      " heads are too few to exchange them over " +
                      std::to_string(n) + " devices";
  if (form != ContextForm::Ring)
    said += "; a ring: " + ring;
  said += "; scores of " + text(scoreBytes(attention, ContextForm::Ring)) +
          " at a time in a ring, " +
          text(scoreBytes(attention, ContextForm::Gather)) + " otherwise";
  if (form == ContextForm::Ring && isBalanced(attention))
    said += "; the mask is causal: " + std::to_string(2 * n + 1) + " of " +
            std::to_string(4 * n) +
            " pairs of half blocks are computed by each device";
  return said;
}
