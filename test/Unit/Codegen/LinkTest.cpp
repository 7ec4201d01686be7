// What the backend refuses: target CPUs that LLVM does not know, and symbols
// that an executor need not have.
#include "CompiledKernels.h"
#include "lib/Codegen/Backend.h"

#include "llvm/Target/TargetMachine.h"

using namespace partopt;
using namespace partopt::test;

namespace {

TEST(Link, RefusesSymbolsThatAreNotOnTheList) {
  KernelContext context;
  auto module = context.parse(R"(
llvm.func @launch_missiles()
llvm.func @memcpy(!llvm.ptr, !llvm.ptr, i64)
llvm.func @k(%arguments: !llvm.ptr) {
  llvm.call @launch_missiles() : () -> ()
  llvm.return
})");
  ASSERT_TRUE(module) << context.messages;
  auto target =
      codegen::createHostTarget(module->getLoc(), CodegenOptions().cpu);
  ASSERT_TRUE(succeeded(target));
  auto object = codegen::emitObject(*module, *target, nullptr);
  ASSERT_TRUE(succeeded(object)) << context.messages;
  EXPECT_TRUE(failed(codegen::linkSharedObject(module->getLoc(), *object)));
  EXPECT_NE(context.messages.find("'launch_missiles'"), std::string::npos)
      << context.messages;
}

TEST(Link, RefusesBytesThatAreNoObject) {
  KernelContext context;
  auto module = context.parse("");
  EXPECT_TRUE(
      failed(codegen::linkSharedObject(module->getLoc(), "not an object")));
  EXPECT_NE(context.messages.find("cannot be read back"), std::string::npos);
}

TEST(Link, RefusesUnknownTargets) {
  KernelContext context;
  auto module = context.parse("");
  CodegenOptions options;
  options.cpu = "no-such-cpu";
  EXPECT_TRUE(failed(compileKernels(*module, options)));
  EXPECT_NE(context.messages.find("unknown target CPU 'no-such-cpu'"),
            std::string::npos)
      << context.messages;
}

TEST(Link, NativeIsThisMachine) {
  KernelContext context;
  auto module = context.parse("");
  auto target = codegen::createHostTarget(module->getLoc(), "native");
  ASSERT_TRUE(succeeded(target)) << context.messages;
  EXPECT_NE(target->cpu, "native");
}

TEST(Link, FailsWhenTheFolderForKeptFilesCannotBeMade) {
  KernelContext context;
  auto module = context.parse("");
  CodegenOptions options;
  options.keepDir = "/proc/no-such-folder";
  EXPECT_TRUE(failed(compileKernels(*module, options)));
  EXPECT_NE(context.messages.find("cannot write"), std::string::npos)
      << context.messages;
}

} // namespace
