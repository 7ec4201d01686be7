//===- PlanRemarks.cpp - What only the whole plan shows -------------------===//
//
// See PlanRemarks.h.
//
//===----------------------------------------------------------------------===//

#include "PlanRemarks.h"

#include "partopt/Plan/Classes.h"
#include "partopt/Plan/MeshMath.h"
#include "partopt/Simulate/ProductPeaks.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <map>

using namespace partopt;

void partopt::addRemark(std::vector<std::unique_ptr<plan::WarningT>> &list,
                        const std::string &code, const std::string &message) {
  auto remark = std::make_unique<plan::WarningT>();
  remark->code = code;
  remark->message = message;
  list.push_back(std::move(remark));
}

namespace {
/// One dimension of batch arguments that devices do not divide.
struct Uneven {
  std::string names; ///< of the arguments
  std::string parts; ///< "device", or "part" where microbatches divide too
  uint64_t size, count, each;
};
} // namespace

/// "8 on each of 3 devices, 6 on the next" of 30 over 4; "none on the other 2".
static std::string sharesText(const Uneven &uneven) {
  uint64_t whole = uneven.size / uneven.each, rest = uneven.size % uneven.each,
           empty = uneven.count - whole - (rest > 0);
  std::string text = std::to_string(uneven.each) + " on each of " +
                     std::to_string(whole) + " " + uneven.parts +
                     (whole == 1 ? "" : "s");
  if (rest > 0)
    text += ", " + std::to_string(rest) + " on the next";
  if (empty > 0)
    text += ", none on the other " + std::to_string(empty);
  return text;
}

/// Shards are as large as the largest, and what is computed on padding is for
/// nothing.
static void warnOfUnevenBatches(plan::PlanT &plan) {
  plan::MeshMath mesh(plan);
  std::map<std::string, Uneven> found; // by dimension, size and axes
  for (const plan::ArgumentT *argument : plan::argumentsOf(plan, 0)) {
    const plan::TensorT &tensor = *argument->tensor;
    if (tensor.role != plan::Role::Batch || !tensor.sharding)
      continue;
    for (size_t dim = 0; dim < tensor.sharding->dims.size(); ++dim) {
      const plan::AxisList &axes = tensor.sharding->dims[dim]->axes;
      uint64_t size = tensor.global_shape[dim], n = mesh.groupSize(axes);
      if (n <= 1 || size % n == 0)
        continue;
      bool hasTime = llvm::any_of(axes, [&](const plan::AxisRef &axis) {
        return plan.mesh[axis.axis()]->kind == plan::AxisKind::Time;
      });
      std::string where = "dimension " + std::to_string(dim) + " (" +
                          std::to_string(size) + ") over " +
                          mesh.axesText(axes);
      Uneven &uneven =
          found
              .try_emplace(where, Uneven{"", hasTime ? "part" : "device", size,
                                         n, (size + n - 1) / n})
              .first->second;
      uneven.names += (uneven.names.empty() ? "" : ", ") +
                      (tensor.name.empty() ? tensor.index_name : tensor.name);
    }
  }
  for (const auto &[where, uneven] : found) {
    uint64_t padded = uneven.each * uneven.count;
    addRemark(plan.warnings, "uneven_batch",
              "batch " + uneven.names + ": " + where + " is not divided by " +
                  std::to_string(uneven.count) + " " + uneven.parts + "s: " +
                  sharesText(uneven) + "; a step takes as long as with " +
                  std::to_string(padded) + " (" +
                  std::to_string(std::lround(
                      100 * (1 - double(uneven.size) / double(padded)))) +
                  " % are padding)");
  }
}

void partopt::addPlanRemarks(const CompileOptions &options, plan::PlanT &plan) {
  warnOfUnevenBatches(plan);
  for (const simulate::ProductPeak &peak :
       simulate::productPeaks(plan, 0, options.machine.device))
    if (!peak.isOwn())
      addRemark(plan.notes, "peak", peak.text());
}
