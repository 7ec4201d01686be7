//===- TestKernels.cpp - Kernel objects compiled in a test ----------------===//
//
// Calls the C compiler that built the tests.
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include "partopt/Plan/PlanFile.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <unistd.h>

namespace partopt::test {

std::unique_ptr<plan::KernelObjectT>
compileKernels(const std::string &source,
               const std::vector<std::string> &symbols) {
  // The same few kernels are asked for by many cases of a process.
  static std::map<std::string, plan::KernelObjectT> compiled;
  auto found = compiled.find(source);
  if (found != compiled.end())
    return std::make_unique<plan::KernelObjectT>(found->second);
  std::string base = testing::TempDir() + "kernels." + std::to_string(getpid());
  std::string c = base + ".c", so = base + ".so";
  std::ofstream(c) << source;
  std::string command = std::string(PARTOPT_TEST_C_COMPILER) +
                        " -O1 -shared -fPIC -o '" + so + "' '" + c + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  auto object = std::make_unique<plan::KernelObjectT>();
  std::ifstream file(so, std::ios::binary);
  object->image.assign(std::istreambuf_iterator<char>(file), {});
  object->hash = plan::hashBytes(object->image.data(), object->image.size());
  object->triple = "x86_64-unknown-linux-gnu";
  object->cpu = "x86-64";
  object->abi_version = plan::kernelAbiVersion;
  object->symbols = symbols;
  std::remove(c.c_str());
  std::remove(so.c_str());
  compiled.emplace(source, *object);
  return object;
}

} // namespace partopt::test
