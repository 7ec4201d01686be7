//===- ErrorModel.h - What a value may differ by --------------------------===//
//
// Two programs that sum in another order differ by rounding. How much a value
// may differ is judged op by op: its own rounding, relative to the numbers that
// it is made from (a difference of nearly equal numbers is small, its error is
// not), and the differences of its operands that were seen, as the op carries
// them on. What operands were allowed but did not use is not carried on, so
// that slack does not add up along the program.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TOOLS_PARTOPT_ERRORMODEL_H
#define PARTOPT_TOOLS_PARTOPT_ERRORMODEL_H

#include "partopt/Pipelines/Compile.h"
#include "runtime/run/RunCommand.h"

namespace partopt::driver {

/// An array of the reference, and the largest difference that was seen; of an
/// argument none.
struct Seen {
  rt::Magnitude magnitude;
  double difference = 0;
};

/// The tolerances of a program's values, for all steps and passes.
class ErrorModel : public rt::ToleranceModel {
public:
  /// Before each pass: the program's values, and the number of its first one.
  void startPass(const std::vector<ProgramValue> &programValues,
                 size_t firstOfPass) {
    values = &programValues;
    first = firstOfPass;
  }

  void setArgument(uint64_t step, size_t argument,
                   const rt::Magnitude &magnitude) override;
  double allowed(uint64_t step, size_t value, const rt::Magnitude &magnitude,
                 double relative) override;
  void setDifference(uint64_t step, size_t value, double difference) override;

private:
  struct Step {
    std::vector<Seen> arguments, values;
  };
  std::vector<Step> steps;
  const std::vector<ProgramValue> *values = nullptr;
  size_t first = 0;

  Step &at(uint64_t step);
};

} // namespace partopt::driver

#endif // PARTOPT_TOOLS_PARTOPT_ERRORMODEL_H
