//===- PlanFault.h - Plans broken in one place each -------------*- C++ -*-===//
//
// A parameterised test that breaks a good plan and wants the verifier's word
// for it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_PLANFAULT_H
#define PARTOPT_TEST_UNIT_PLANFAULT_H

#include "partopt/Plan/VerifyPlan.h"

#include <cctype>
#include <functional>
#include <gtest/gtest.h>

namespace partopt::test {

struct PlanFault {
  const char *name;
  std::function<void(plan::PlanT &, plan::ProgramT &)> apply;
  const char *message; // must occur in the first problem
};

inline void PrintTo(const PlanFault &fault, std::ostream *out) {
  *out << fault.name;
}

inline std::string faultName(const testing::TestParamInfo<PlanFault> &info) {
  std::string name = info.param.name;
  for (char &c : name)
    if (!isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

/// Expects the first problem of `plan`, broken by `fault`, to say so.
inline void expectRefused(plan::PlanT &plan, const PlanFault &fault) {
  fault.apply(plan, *plan.classes[0]->programs[0]);
  std::vector<std::string> problems = plan::verifyPlan(plan);
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems[0].find(fault.message), std::string::npos) << problems[0];
}

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_PLANFAULT_H
