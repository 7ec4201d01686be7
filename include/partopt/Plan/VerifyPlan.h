//===- VerifyPlan.h - Proof that a plan can run ---------------------------===//
//
// Shows on the plan alone what an executor relies on. It runs before a plan
// is written and again when it is loaded, so an executor checks nothing twice.
//
// What is shown, per rank class and program, without visiting devices unless
// the plan has several classes:
//  * every communicator sees the same sequence of collectives (kind, combiner,
//    type, counts, axes, stream) on all members, and no wait is cyclic;
//  * all collectives have one order that every rank's starts follow, so that no
//    two of them can keep each other from a device;
//  * every CollectiveStart has exactly one Wait, and every Wait its start;
//  * every read comes after its write; buffers of a collective in flight are
//    left alone;
//  * buffers are aligned, inside their region, large enough for every use,
//    live at every touch, and no two that are live together overlap;
//  * each result is computed by the operations, from the arguments, that the
//    compiler's program has before memory and order are decided (Dataflow.h);
//  * loops that take turns run each iteration once, read what was made in the
//    same iteration, and overwrite no slot that is still to be read;
//  * every message has a sender and a receiver that agree, and all classes
//    together come to their end even where a send is over only when it is
//    received;
//  * the peak is what the plan says, and results take only arguments of their
//    own local size.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_PLAN_VERIFYPLAN_H
#define PARTOPT_PLAN_VERIFYPLAN_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <string>
#include <vector>

namespace partopt::plan {

/// One sentence per problem, naming class, instruction, label and source
/// location where there is one; empty when the plan is good. Stops after 20.
std::vector<std::string> verifyPlan(const PlanT &plan);

} // namespace partopt::plan

#endif // PARTOPT_PLAN_VERIFYPLAN_H
