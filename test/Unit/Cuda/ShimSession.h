//===- ShimSession.h - Sessions on the stand-in for a GPU -----------------===//
//
// Opens plans of host kernels through the CUDA driver on test/CudaShim, whose
// functions tell what was called and whether two operations raced.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_UNIT_CUDA_SHIMSESSION_H
#define PARTOPT_TEST_UNIT_CUDA_SHIMSESSION_H

#include "../TestArrays.h"
#include "../TestKernels.h"
#include "../TestPlan.h"
#include "test/CudaShim/HostKernelsForShim.h"

#include "partopt-rt/Session.h"
#include "runtime/run/Compare.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace partopt::test {

/// The shim's functions for tests.
class ShimControl {
public:
  ShimControl() {
    for (const char *name :
         {"PARTOPT_LIBCUDA", "PARTOPT_LIBCUBLASLT", "PARTOPT_LIBNCCL"})
      setenv(name, PARTOPT_CUDA_SHIM, 1);
    void *library = dlopen(PARTOPT_CUDA_SHIM, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    find(library, "partoptShimCalls", callsOf);
    find(library, "partoptShimRaces", races);
    find(library, "partoptShimFail", fail);
    find(library, "partoptShimDescribe", describeKernel);
  }
  static ShimControl &get() {
    static ShimControl control;
    return control;
  }

  uint64_t (*callsOf)(const char *name) = nullptr;
  uint64_t (*races)() = nullptr;
  /// From now on: the `number`-th call since the session was opened.
  void (*fail)(const char *call, uint64_t number, int code) = nullptr;
  void (*describeKernel)(const char *symbol, const char *accesses) = nullptr;

private:
  template <typename Function>
  static void find(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    EXPECT_NE(function, nullptr) << name;
  }
};

/// Sets a variable of the environment while it lives.
class WithVariable {
public:
  WithVariable(const char *name, const std::string &value) : name(name) {
    setenv(name, value.c_str(), 1);
  }
  ~WithVariable() { unsetenv(name); }

private:
  const char *name;
};

inline rt::StatusOr<std::unique_ptr<rt::Session>>
openOnShim(std::unique_ptr<plan::PlanT> plan, rt::SessionOptions options = {}) {
  ShimControl &shim = ShimControl::get();
  std::map<std::string, std::string> kernels = shim::kernelAccesses(*plan);
  shim::useHostKernels(*plan);
  for (const auto &[symbol, accesses] : kernels)
    shim.describeKernel(symbol.c_str(), accesses.c_str());
  options.driver = rt::DriverKind::Cuda;
  return rt::Session::create(std::move(plan), options);
}

inline std::vector<float> floatsOf(rt::Session &session, size_t result) {
  rt::ArrayCopy copy(*session.results(0)[result]->tensor);
  EXPECT_TRUE(session.readResult(0, result, copy).ok());
  std::vector<float> values(copy.bytes().size() / sizeof(float));
  if (!values.empty())
    std::memcpy(values.data(), copy.bytes().data(), copy.bytes().size());
  return values;
}

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_CUDA_SHIMSESSION_H
