//===- ShimPlan.cpp - A host plan for the stand-in ------------------------===//
//
// TEST ONLY. usage: partopt-shim-plan PLAN OUT; OUT.kernels is what
// PARTOPT_SHIM_KERNELS takes.
//
//===----------------------------------------------------------------------===//

#include "HostKernelsForShim.h"

#include "partopt/Plan/PlanFile.h"

#include <fstream>
#include <iostream>

using namespace partopt;

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: partopt-shim-plan PLAN OUT\n";
    return 2;
  }
  std::string error, out = argv[2];
  std::unique_ptr<plan::PlanT> plan = plan::readPlanFile(argv[1], error);
  if (plan) {
    std::ofstream kernels(out + ".kernels");
    for (const auto &[symbol, accesses] : shim::kernelAccesses(*plan))
      kernels << symbol << accesses << "\n";
    shim::useHostKernels(*plan);
    error = plan::writePlanFile(*plan, out);
  }
  if (!error.empty())
    std::cerr << "error: " << error << "\n";
  return error.empty() ? 0 : 2;
}
