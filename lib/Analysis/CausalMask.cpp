// See CausalMask.h. The scores are evaluated for a query and a key of which
// only is known how their positions compare. Numbers are linear in the
// positions.

#include "partopt/Analysis/CausalMask.h"

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Analysis/ShardingRule.h"

using namespace mlir;
using namespace partopt;

/// From here on exponentials are zero next to those of a score that is seen.
static constexpr double kMasked = -1e4;
/// What may be added to any score to mask it.
static constexpr double kMaskedSum = -1e9;

/// The dimension of `to` that is dimension `dim` of `from` alone; -1: none.
static int64_t across(const TensorMapping &from, const TensorMapping &to,
                      int64_t dim) {
  if (dim < 0 || from[dim].size() != 1)
    return -1;
  for (auto [at, factors] : llvm::enumerate(to))
    if (factors == from[dim])
      return int64_t(at);
  return -1;
}

namespace {

enum class Order { Behind, Same }; ///< the key behind the query, or at it

/// What is known of one element.
struct Fact {
  enum Kind {
    Unknown,
    Score,  ///< of a product, so of a key that is seen
    Number, ///< query * q + device * d + key * k + constant
    Truth
  } kind = Unknown;
  int64_t query = 0, device = 0, key = 0;
  double constant = 0;
  bool isTrue = false;

  bool isConstant() const {
    return kind == Number && query == 0 && device == 0 && key == 0;
  }
};

Fact number(double constant) {
  Fact fact;
  fact.kind = Fact::Number;
  fact.constant = constant;
  return fact;
}
Fact truth(bool isTrue) {
  Fact fact;
  fact.kind = Fact::Truth;
  fact.isTrue = isTrue;
  return fact;
}
Fact score() {
  Fact fact;
  fact.kind = Fact::Score;
  return fact;
}
Fact scaled(Fact fact, double by) {
  if (by != double(int64_t(by)) && !fact.isConstant())
    return Fact();
  fact.query *= int64_t(by);
  fact.device *= int64_t(by);
  fact.key *= int64_t(by);
  fact.constant *= by;
  return fact;
}
Fact sum(const Fact &a, const Fact &b, int64_t sign) {
  Fact fact = a;
  fact.query += sign * b.query;
  fact.device += sign * b.device;
  fact.key += sign * b.key;
  fact.constant += double(sign) * b.constant;
  return fact;
}

class Evaluator {
public:
  Evaluator(const ScoreMatrix &matrix, Order order)
      : matrix(matrix), order(order) {}

  /// `key` and `query` are the dimensions that have them, or -1.
  Fact of(Value value, int64_t key, int64_t query);

private:
  Fact constant(stablehlo::ConstantOp op);
  Fact compare(stablehlo::CompareOp op, const Fact &a, const Fact &b);
  Fact combine(Operation *op, const Fact &a, const Fact &b);

  const ScoreMatrix &matrix;
  Order order;
};

Fact Evaluator::constant(stablehlo::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.isSplat())
    return Fact();
  Type type = elements.getElementType();
  if (type.isInteger(1))
    return truth(elements.getSplatValue<bool>());
  if (isa<FloatType>(type)) {
    bool lost = false;
    APFloat value = elements.getSplatValue<APFloat>();
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return number(value.convertToDouble());
  }
  if (auto integer = dyn_cast<IntegerType>(type))
    return number(elements.getSplatValue<APInt>().signedRoundToDouble());
  return Fact();
}

/// The sign of a - b, where the order of query and key decides it.
Fact Evaluator::compare(stablehlo::CompareOp op, const Fact &a, const Fact &b) {
  using D = stablehlo::ComparisonDirection;
  if (a.kind != Fact::Number || b.kind != Fact::Number)
    return Fact();
  Fact difference = sum(a, b, -1);
  double low = difference.constant, high = difference.constant;
  if (difference.query != 0 || difference.key != 0 || difference.device != 0) {
    // `times` positions of the query minus those of the key.
    int64_t times = difference.query;
    if (difference.key != -times || difference.device != times * matrix.width)
      return Fact();
    if (order == Order::Behind)
      (times > 0 ? high : low) -= double(times);
    if (order == Order::Behind)
      (times > 0 ? low : high) = times > 0 ? -HUGE_VAL : HUGE_VAL;
  }
  auto decide = [](bool isTrue, bool isFalse) {
    return isTrue || isFalse ? truth(isTrue) : Fact();
  };
  switch (op.getComparisonDirection()) {
  case D::EQ:
    return decide(low == 0 && high == 0, low > 0 || high < 0);
  case D::NE:
    return decide(low > 0 || high < 0, low == 0 && high == 0);
  case D::GE:
    return decide(low >= 0, high < 0);
  case D::GT:
    return decide(low > 0, high <= 0);
  case D::LE:
    return decide(high <= 0, low > 0);
  case D::LT:
    return decide(high < 0, low >= 0);
  }
  return Fact();
}

Fact Evaluator::combine(Operation *op, const Fact &a, const Fact &b) {
  bool isSum = isa<stablehlo::AddOp, stablehlo::SubtractOp>(op);
  bool isScale = isa<stablehlo::MulOp, stablehlo::DivOp>(op);
  if (a.kind == Fact::Number && b.kind == Fact::Number) {
    if (isSum)
      return sum(a, b, isa<stablehlo::AddOp>(op) ? 1 : -1);
    if (isa<stablehlo::MulOp>(op) && (a.isConstant() || b.isConstant()))
      return a.isConstant() ? scaled(b, a.constant) : scaled(a, b.constant);
    if (isa<stablehlo::DivOp>(op) && a.isConstant() && b.isConstant() &&
        b.constant != 0)
      return number(a.constant / b.constant);
    return Fact();
  }
  if (a.kind == Fact::Truth && b.kind == Fact::Truth) {
    if (isa<stablehlo::AndOp>(op))
      return truth(a.isTrue && b.isTrue);
    if (isa<stablehlo::OrOp>(op))
      return truth(a.isTrue || b.isTrue);
    return Fact();
  }
  // One side may decide.
  for (const Fact &fact : {a, b})
    if (fact.kind == Fact::Truth &&
        ((isa<stablehlo::AndOp>(op) && !fact.isTrue) ||
         (isa<stablehlo::OrOp>(op) && fact.isTrue)))
      return fact;
  const Fact &other = a.kind == Fact::Score ? b : a;
  bool hasScore = a.kind == Fact::Score || b.kind == Fact::Score;
  if (!hasScore || !(isSum || isScale) || !other.isConstant())
    return Fact();
  if (isa<stablehlo::AddOp>(op) && other.constant <= kMaskedSum)
    return number(other.constant);
  return std::abs(other.constant) < -kMasked ? score() : Fact();
}

Fact Evaluator::of(Value value, int64_t key, int64_t query) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return Fact();
  if (isa<stablehlo::DotGeneralOp>(op))
    return score();
  if (auto positions = dyn_cast<stablehlo::IotaOp>(op)) {
    int64_t dim = positions.getIotaDimension();
    Fact fact = number(0);
    fact.key = dim == key;
    fact.query = dim == query;
    return dim == key || dim == query ? fact : Fact();
  }
  if (auto index = dyn_cast<comm::AxisIndexOp>(op)) {
    Fact fact = number(0);
    fact.device = 1;
    return index.getAxes() == matrix.axes ? fact : Fact();
  }
  if (auto splat = dyn_cast<stablehlo::ConstantOp>(op))
    return constant(splat);
  bool isMove = isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
                    stablehlo::TransposeOp>(op);
  if (!isMove && !op->hasTrait<stablehlo::Elementwise>())
    return Fact();
  SmallVector<Fact, 3> facts;
  auto rule = getShardingRule(op);
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    auto from = [&](int64_t dim) {
      return rule ? across(rule->results[0], rule->operands[i], dim) : -1;
    };
    facts.push_back(of(op->getOperand(i), from(key), from(query)));
  }
  if (isMove || isa<stablehlo::ConvertOp>(op))
    return facts[0];
  if (isa<stablehlo::NotOp>(op) && facts[0].kind == Fact::Truth)
    return truth(!facts[0].isTrue);
  if (auto comparison = dyn_cast<stablehlo::CompareOp>(op))
    return compare(comparison, facts[0], facts[1]);
  if (isa<stablehlo::SelectOp>(op))
    return facts[0].kind == Fact::Truth ? facts[facts[0].isTrue ? 1 : 2]
                                        : Fact();
  return facts.size() == 2 ? combine(op, facts[0], facts[1]) : Fact();
}

} // namespace

bool partopt::isCausal(const ScoreMatrix &matrix) {
  auto fact = [&](Order order) {
    return Evaluator(matrix, order)
        .of(matrix.scores, matrix.keyDim, matrix.queryDim);
  };
  Fact behind = fact(Order::Behind);
  return behind.isConstant() && behind.constant <= kMasked &&
         fact(Order::Same).kind == Fact::Score;
}
