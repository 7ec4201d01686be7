// What is given of results: next values, by donation, an attribute, or --carry,
// and the loss.

#include "NextValues.h"

#include "partopt/Import/Import.h"
#include "partopt/Support/NextValues.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace partopt;

constexpr llvm::StringLiteral kDonorAttr = "jax.buffer_donor";

namespace {
class GivenReader {
public:
  GivenReader(func::FuncOp func, NextValues &next) : func(func), next(next) {}

  LogicalResult readAttribute(StringRef name, StringRef verb, StringRef reason);
  void matchDonors();
  LogicalResult readCarry(StringRef text);

private:
  std::string nameOf(unsigned argument);
  LogicalResult give(unsigned argument, int64_t result, StringRef verb,
                     StringRef reason);

  func::FuncOp func;
  NextValues &next;
};
} // namespace

std::string GivenReader::nameOf(unsigned argument) {
  auto name = func.getArgAttrOfType<StringAttr>(argument, kNameAttr);
  return "argument " + std::to_string(argument) + " ('" +
         name.getValue().str() + "')";
}

/// `verb` stands between argument and result where they do not fit.
LogicalResult GivenReader::give(unsigned argument, int64_t result,
                                StringRef verb, StringRef reason) {
  int64_t before = next.result[argument];
  if (result >= 0 && before == result)
    return success();
  if (before >= 0 && func.getArgAttr(argument, kAliasingAttr))
    return func.emitOpError()
           << nameOf(argument) << " is donated to result " << before << ", so "
           << reason << " cannot give it another next value";
  if (result < 0) {
    next.set(argument, NextValues::kNone, reason);
    return success();
  }
  if (result >= int64_t(func.getNumResults()))
    return func.emitOpError()
           << nameOf(argument) << " " << verb << " result " << result
           << ", but there are " << func.getNumResults() << " results";
  Type from = func.getArgumentTypes()[argument];
  if (func.getResultTypes()[result] != from)
    return func.emitOpError() << nameOf(argument) << " of type " << from << " "
                              << verb << " result " << result << " of type "
                              << func.getResultTypes()[result];
  auto *other = llvm::find(next.result, result);
  if (other != next.result.end() && other != &next.result[argument])
    return func.emitOpError()
           << nameOf(other - next.result.begin()) << " and " << nameOf(argument)
           << " have one next value, result " << result;
  next.set(argument, result, reason);
  return success();
}

LogicalResult GivenReader::readAttribute(StringRef name, StringRef verb,
                                         StringRef reason) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    Attribute value = func.getArgAttr(i, name);
    if (!value)
      continue;
    auto number = dyn_cast<IntegerAttr>(value);
    // Only of the attribute that users write does -1 mean something.
    if (!number || (number.getInt() < 0 && name != kNextResultAttr))
      return func.emitOpError() << nameOf(i) << " " << verb << " result "
                                << value << ", which is no result's number";
    if (failed(give(i, number.getInt(), verb, reason)))
      return failure();
  }
  return success();
}

/// JAX leaves the choice open where layouts may differ; its rule is the first
/// free result of the same type.
void GivenReader::matchDonors() {
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    if (next.result[i] >= 0 || !func.getArgAttr(i, kDonorAttr))
      continue;
    for (auto [result, type] : llvm::enumerate(func.getResultTypes())) {
      if (type != func.getArgumentTypes()[i] ||
          llvm::is_contained(next.result, static_cast<int64_t>(result)))
        continue;
      next.set(i, result, "donated");
      func.setArgAttr(
          i, kAliasingAttr,
          IntegerAttr::get(IntegerType::get(func.getContext(), 32), result));
      break;
    }
  }
}

/// The number of the argument or result that is called `name`, or has that
/// number, alone or after `prefix`; -1 for none.
static int64_t findNamed(StringRef name, StringRef prefix, unsigned count,
                         llvm::function_ref<Attribute(unsigned)> nameOf) {
  for (unsigned i = 0; i < count; ++i)
    if (auto known = dyn_cast_or_null<StringAttr>(nameOf(i));
        known && known.getValue() == name)
      return i;
  unsigned number;
  name.consume_front(prefix);
  if (!name.getAsInteger(10, number) && number < count)
    return number;
  return -1;
}

static int64_t findResult(func::FuncOp func, StringRef name) {
  return findNamed(name, "out", func.getNumResults(), [&](unsigned i) {
    return func.getResultAttr(i, kNameAttr);
  });
}

LogicalResult GivenReader::readCarry(StringRef text) {
  auto [from, to] = text.rsplit('=');
  int64_t argument =
      findNamed(from, "arg", func.getNumArguments(),
                [&](unsigned i) { return func.getArgAttr(i, kNameAttr); });
  if (argument < 0)
    return func.emitError()
           << "--carry '" << text << "': @" << func.getSymName()
           << " has no argument '" << from << "'; give its name, or arg0 to arg"
           << int64_t(func.getNumArguments()) - 1;
  if (next.reason[argument] == "--carry")
    return func.emitError() << "--carry '" << text << "': " << nameOf(argument)
                            << " has its next value from another --carry";
  int64_t result = findResult(func, to);
  if (result < 0 && to != "none")
    return func.emitError()
           << "--carry '" << text << "': @" << func.getSymName()
           << " has no result '" << to << "'; give its name, out0 to out"
           << int64_t(func.getNumResults()) - 1 << ", or none";
  return give(argument, result, "is to become", "--carry");
}

LogicalResult partopt::readGivenNextValues(func::FuncOp func,
                                           ArrayRef<std::string> carries,
                                           NextValues &next) {
  GivenReader reader(func, next);
  if (failed(reader.readAttribute(kAliasingAttr, "aliases", "donated")))
    return failure();
  reader.matchDonors();
  if (failed(reader.readAttribute(kNextResultAttr, "is to become",
                                  kNextResultAttr)))
    return failure();
  for (StringRef text : carries)
    if (failed(reader.readCarry(text)))
      return failure();
  return success();
}

LogicalResult partopt::readGivenLoss(func::FuncOp func, StringRef loss,
                                     const NextValues &next) {
  if (loss.empty())
    return success();
  int64_t result = findResult(func, loss);
  if (result < 0)
    return func.emitError()
           << "--loss '" << loss << "': @" << func.getSymName()
           << " has no result '" << loss << "'; give its name, or out0 to out"
           << int64_t(func.getNumResults()) - 1;
  auto type = dyn_cast<RankedTensorType>(func.getResultTypes()[result]);
  if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
    return func.emitError() << "--loss '" << loss << "': result " << result
                            << " of type " << func.getResultTypes()[result]
                            << " is no loss, which is one float";
  if (const auto *argument = llvm::find(next.result, result);
      argument != next.result.end())
    return func.emitError()
           << "--loss '" << loss << "': result " << result
           << " is the next value of argument "
           << argument - next.result.begin() << ", so it is no loss";
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    func.removeResultAttr(i, StringAttr::get(func.getContext(), kLossAttr));
  func.setResultAttr(unsigned(result), kLossAttr,
                     UnitAttr::get(func.getContext()));
  return success();
}
