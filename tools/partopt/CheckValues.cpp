//===- CheckValues.cpp - partopt run --check=values -----------------------===//
//
// Both programs are compiled with a range of the model's values as further
// results and run with the same inputs, range after range in program order, so
// that the first value that differs is the first of all.
//
//===----------------------------------------------------------------------===//

#include "ErrorModel.h"
#include "ModelInput.h"

#include "partopt/Support/CompileOptions.h"
#include "runtime/run/RunCommand.h"

#include "llvm/ADT/StringMap.h"

#include <iomanip>
#include <iostream>
#include <sstream>
#include <utility>

using namespace partopt;
using namespace partopt::driver;

namespace {

/// "value 17 (stablehlo.add at train.py:3:5)"
std::string nameOf(const std::vector<ProgramValue> &values, uint64_t number) {
  const ProgramValue &value = values[number];
  return "value " + std::to_string(number) + " (" + value.op + " at " +
         value.location + ")";
}

std::string number(long double value) {
  std::ostringstream text;
  text << std::setprecision(9) << static_cast<double>(value);
  return text.str();
}

/// Everything that tells where to look.
void printValue(const std::vector<ProgramValue> &values, uint64_t index,
                const rt::Comparison &found, bool severalSteps) {
  const ProgramValue &value = values[index];
  std::ostream &out = std::cout;
  out << "the first of " << values.size() << " values that differs"
      << (severalSteps ? ", in step " + std::to_string(found.step)
                       : std::string())
      << ":\n  value " << index << ": " << value.op << " at " << value.location
      << "\n  type " << value.type << ", sharding " << value.sharding;
  if (found.sharding != value.sharding)
    out << ", compared as " << found.sharding;
  out << "\n  " << found.mismatches + found.excused << " of " << found.elements
      << " elements differ; worst at "
      << rt::indexText(found.worstElement, found.shape) << ": got "
      << number(found.got) << ", expected " << number(found.want)
      << ", difference " << number(found.worstDifference) << ", allowed "
      << number(found.worstAllowed) << "\n";
  for (size_t i = 0; i < value.operands.size(); ++i) {
    const ValueOperand &operand = value.operands[i];
    out << "  operand " << i << ": "
        << (operand.value < 0
                ? operand.text
                : nameOf(values, uint64_t(operand.value)) + ", which agrees")
        << "\n";
  }
  out << std::flush;
}

/// The two programs list the same values, or the comparison means nothing.
bool sameValues(const std::vector<ProgramValue> &a,
                const std::vector<ProgramValue> &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].op != b[i].op || a[i].type != b[i].type)
      return false;
  return true;
}

class ValuesCheck {
public:
  ValuesCheck(const OptionSet &set, const rt::RunOptions &options,
              uint64_t bytes)
      : set(set), options(options), bytes(bytes) {}

  int run() {
    for (bool isDone = false; !isDone;) {
      int code = pass(isDone);
      if (code != Good)
        return code;
    }
    if (!options.quiet)
      std::cout << "all " << first
                << " values equal the unpartitioned program's within "
                << std::setprecision(3) << loosest
                << " of the numbers that each one is made from"
                << (anyMoved ? ", or what it makes of its arguments' last bits"
                             : "")
                << "\n"
                << std::flush;
    return Good;
  }

private:
  const OptionSet &set;
  const rt::RunOptions &options;
  uint64_t bytes;
  uint64_t first = 0; ///< of the next pass
  double loosest = 0;
  bool saidNan = false, anyMoved = false;
  ErrorModel model;

  int pass(bool &isDone) {
    Compiled split = compileTapped(set, {first, ~uint64_t(0), bytes});
    if (split.exitCode != Good)
      return split.exitCode;
    if (split.tapped == 0) {
      isDone = true;
      return Good;
    }
    Compiled whole =
        compileUnpartitioned(set, *split.plan, TapRequest{first, split.tapped});
    if (whole.exitCode != Good)
      return whole.exitCode;
    if (!sameValues(split.values, whole.values))
      return internalError("the unpartitioned program has other values");
    if (!options.quiet)
      std::cout << "comparing values " << first << " to "
                << first + split.tapped - 1 << " of " << split.values.size()
                << "\n"
                << std::flush;
    rt::ValuesVerdict verdict;
    rt::RunExtras extras;
    takeInputsOf(*split.plan, *whole.plan);
    extras.reference = std::move(whole.plan);
    extras.longestReduction = whole.longestReduction;
    extras.resultEpsilons = std::move(whole.resultEpsilons);
    model.startPass(split.values, first);
    rt::Status status =
        rt::compareValues(std::move(split.plan), extras, split.tapped, model,
                          options, std::cout, verdict);
    if (!status.ok()) {
      messages().error(status.message());
      return int(status.code());
    }
    loosest = std::max(loosest, verdict.loosest);
    if (verdict.nan && !std::exchange(saidNan, true))
      messages().warning(nameOf(split.values, first + *verdict.nan) +
                         " is the first that has NaN, in both programs: that "
                         "they agree there proves nothing");
    sayMoved(split.values, verdict);
    if (verdict.differs) {
      uint64_t index = first + *verdict.differs;
      printValue(split.values, index, verdict.difference, options.steps > 1);
      messages().error(nameOf(split.values, index) +
                       " differs from the unpartitioned program");
      return Differs;
    }
    first += split.tapped;
    isDone = first >= split.values.size();
    return Good;
  }

  /// Values that differ as rounding alone moves them.
  void sayMoved(const std::vector<ProgramValue> &values,
                rt::ValuesVerdict &verdict) {
    for (size_t i = 0; i < verdict.moved.size(); ++i) {
      rt::Comparison &moved = verdict.moved[i];
      moved.name = nameOf(values, first + i);
      anyMoved |= moved.moved + moved.excused > 0;
    }
    if (!options.quiet)
      rt::printMoved(verdict.moved, options.steps, std::cout);
  }
};

} // namespace

int64_t partopt::driver::rowsSplitOver(const plan::PlanT &plan) {
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs)
      for (const auto &argument : program->arguments)
        if (const plan::TensorT &tensor = *argument->tensor;
            tensor.role == plan::Role::Batch && !tensor.global_shape.empty() &&
            tensor.local_shape[0] != 0)
          return int64_t(tensor.global_shape[0] / tensor.local_shape[0]);
  return 1;
}

void partopt::driver::takeInputsOf(const plan::PlanT &plan,
                                   plan::PlanT &other) {
  llvm::StringMap<const plan::TensorT *> tensors;
  for (const auto &rankClass : plan.classes)
    for (const auto &program : rankClass->programs)
      for (const auto &argument : program->arguments)
        tensors[argument->tensor->index_name] = argument->tensor.get();
  for (const auto &rankClass : other.classes)
    for (const auto &program : rankClass->programs)
      for (const auto &argument : program->arguments)
        if (const plan::TensorT *same =
                tensors.lookup(argument->tensor->index_name)) {
          argument->tensor->role = same->role;
          argument->tensor->int_bound = same->int_bound;
        }
}

llvm::Expected<uint64_t> partopt::driver::checkMemory(const OptionSet &set) {
  llvm::Expected<uint64_t> bytes = parseBytes(set.get("check-memory", "1GiB"));
  if (bytes)
    return bytes;
  return userError("option '--check-memory': " +
                   llvm::toString(bytes.takeError()));
}

int partopt::driver::checkValues(const OptionSet &set,
                                 const rt::RunOptions &options) {
  llvm::Expected<uint64_t> bytes = checkMemory(set);
  if (!bytes)
    return fail(bytes.takeError());
  return ValuesCheck(set, options, *bytes).run();
}
