//===- SourceText.h - Where a value comes from, in words --------*- C++ -*-===//
//
// Locations as reports print them, and the part of the step that they tell.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_LIB_PLAN_SOURCETEXT_H
#define PARTOPT_LIB_PLAN_SOURCETEXT_H

#include "dialects/Plan/Plan.h"

#include <string>

namespace partopt {

/// "models.py:113:12 (jit(train_step)/jvp()/dot_general)": the innermost file
/// position and the outermost name; only one of both where there is only one;
/// "unknown" where there is neither. Of a fused location the last part that
/// says something.
std::string locationText(mlir::Location loc);

/// The part of the step that JAX's name stack tells: backward within
/// transpose(jvp(...)), forward within jvp(...), else unspecified. Of a fused
/// location the latest part.
planir::Phase phaseOf(mlir::Location loc);

} // namespace partopt

#endif // PARTOPT_LIB_PLAN_SOURCETEXT_H
