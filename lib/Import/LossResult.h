// Which result is the loss: the scalar that the parameters' gradients are
// derived from.

#ifndef PARTOPT_LIB_IMPORT_LOSSRESULT_H
#define PARTOPT_LIB_IMPORT_LOSSRESULT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partopt {

struct LossChoice {
  int64_t result = -1; ///< its number, or -1
  int64_t rival = -1;  ///< another result that may be it as well, or -1
};

/// The result marked `partopt.loss`; else of the scalar floats that are no next
/// value (`carriedTo`, by argument, negative for none; nor look like that of a
/// scalar argument, if others do not) and that an updated argument has a
/// derivative in:
///
/// 1. those called loss, if any is; not those called after its derivative;
/// 2. that which depends on the fewest gradients, so no norm of them and no
///    value of the new parameters;
/// 3. that whose derivative is used most: of each product of it the update
///    needs the other factor, and an operand or the result of what is not
///    linear. A directional derivative has its direction as such a factor. What
///    is computed alike is one value (SameValues.h);
/// 4. that which has the most values in common with the update;
/// 5. the first one. Others that are equal by 1 to 4 are rivals.
///
/// Where no argument is updated, or none has a derivative in any of them: the
/// first called loss, else of those that an array goes into (if there are any)
/// the one that takes the fewest values.
LossChoice findLoss(mlir::func::FuncOp func, llvm::ArrayRef<int64_t> carriedTo);

} // namespace partopt

#endif // PARTOPT_LIB_IMPORT_LOSSRESULT_H
