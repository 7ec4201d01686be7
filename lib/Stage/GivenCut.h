// A cut that the user gives, by layers or by names.

#ifndef PARTOPT_LIB_STAGE_GIVENCUT_H
#define PARTOPT_LIB_STAGE_GIVENCUT_H

#include "LayerPlaces.h"

namespace partopt {

/// The first position of every stage but the first, ascending. `crossings` are
/// CutChainProblem's: of the places where a stage may begin it gets the first
/// with the least. Both fail, with an error that names layers, where the model
/// has no such stages.
///
/// By the number of layers (`LayerPlaces::numbered`) that each stage has.
mlir::FailureOr<std::vector<int64_t>>
cutByCounts(const PipelineBody &body, const LayerPlaces &places,
            llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<double> crossings);

/// By a regular expression for each stage but the first: it begins at the first
/// layer whose name it matches, else at the first parameter.
mlir::FailureOr<std::vector<int64_t>>
cutByNames(const PipelineBody &body, const LayerPlaces &places,
           llvm::ArrayRef<std::string> begins,
           llvm::ArrayRef<double> crossings);

} // namespace partopt

#endif // PARTOPT_LIB_STAGE_GIVENCUT_H
