//===- KernelObjectTest.cpp - Objects that must not be loaded -------------===//
//
// Each thing that is checked before a kernel object is loaded, and the two ways
// to load one.
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include "partopt/Plan/PlanFile.h"
#include "runtime/drivers/host/CpuFeatures.h"
#include "runtime/drivers/host/KernelObject.h"

#include <gtest/gtest.h>

using namespace partopt;
using namespace partopt::rt;

namespace {

std::unique_ptr<plan::KernelObjectT> object(const char *value = "1") {
  return test::compileKernels(std::string("void set(void **a) { *(int *)a[0] "
                                          "= ") +
                                  value + "; }",
                              {"set"});
}

int call(const KernelLibrary &library) {
  int value = 0;
  void *args[] = {&value};
  static_cast<const HostKernels &>(library).function(0)(args);
  return value;
}

std::string errorOf(const plan::KernelObjectT &object) {
  auto loaded = HostKernels::load(object);
  EXPECT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), Code::BadInput);
  return loaded.status().message();
}

TEST(KernelObject, SeveralObjectsStayApart) {
  for (bool preferFile : {false, true}) {
    auto one = HostKernels::load(*object("1"), preferFile);
    auto two = HostKernels::load(*object("2"), preferFile);
    ASSERT_TRUE(one.ok()) << one.status().message();
    ASSERT_TRUE(two.ok());
    EXPECT_EQ(call(**one), 1);
    EXPECT_EQ(call(**two), 2);
  }
}

TEST(KernelObject, ChecksBeforeLoading) {
  auto bad = object();
  bad->image[100] ^= 1;
  EXPECT_NE(errorOf(*bad).find("does not match its hash"), std::string::npos);
  bad = object();
  bad->abi_version = 7;
  EXPECT_NE(errorOf(*bad).find("has ABI version 7, this runtime has 1"),
            std::string::npos);
  bad = object();
  bad->triple = "aarch64-unknown-linux-gnu";
  EXPECT_NE(errorOf(*bad).find("is for 'aarch64-unknown-linux-gnu'"),
            std::string::npos);
  bad = object();
  bad->features = {"+avx2", "-sse4a", "+warpdrive"};
  EXPECT_NE(errorOf(*bad).find("this processor lacks: warpdrive"),
            std::string::npos);
  bad = object();
  bad->symbols.push_back("missing");
  EXPECT_NE(errorOf(*bad).find("has no symbol 'missing'"), std::string::npos);
  bad = object();
  bad->image.resize(100);
  bad->hash = plan::hashBytes(bad->image.data(), bad->image.size());
  EXPECT_NE(errorOf(*bad).find("cannot load the kernel object"),
            std::string::npos);
}

TEST(CpuFeatures, Levels) {
  EXPECT_TRUE(missingCpuFeatures("x86-64", {"sse2"}).empty());
  EXPECT_EQ(missingCpuFeatures("x86-64", {"no-such", "+no-such"}),
            std::vector<std::string>({"no-such"}));
#if defined(__x86_64__)
  EXPECT_EQ(missingCpuFeatures("x86-64-v3", {}).empty(),
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi2"));
  EXPECT_EQ(missingCpuFeatures("x86-64-v4", {}).empty(),
            __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512cd") &&
                __builtin_cpu_supports("avx512dq"));
#endif
}

} // namespace
