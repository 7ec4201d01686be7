// Kernels of a text, compiled and loaded, for tests.
#ifndef PARTOPT_TEST_UNIT_CODEGEN_COMPILEDKERNELS_H
#define PARTOPT_TEST_UNIT_CODEGEN_COMPILEDKERNELS_H

#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Codegen/Codegen.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace partopt::test {

/// A context with what kernels need; diagnostics are kept in `messages`.
class KernelContext {
public:
  KernelContext() : context(makeRegistry()) {
    registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &d) {
      messages += d.str() + "\n";
      return mlir::success();
    });
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  mlir::DialectRegistry registry;
  mlir::MLIRContext context;
  std::string messages;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry result;
    result.insert<mlir::func::FuncDialect>();
    stablehlo::registerStableHLODialects(result);
    return result;
  }
};

/// A buffer as the executor gives it: 64-byte aligned, full of old bytes.
template <typename T> class AlignedBuffer {
public:
  explicit AlignedBuffer(size_t count)
      : data(static_cast<T *>(
            std::aligned_alloc(64, (count * sizeof(T) + 127) / 64 * 64))),
        count(count) {
    std::memset(static_cast<void *>(data), 0xa5, count * sizeof(T));
  }
  ~AlignedBuffer() { std::free(data); }
  AlignedBuffer(const AlignedBuffer &) = delete;
  AlignedBuffer &operator=(const AlignedBuffer &) = delete;

  T &operator[](size_t i) { return data[i]; }
  void *pointer() { return data; }

  T *data;
  size_t count;
};

/// The shared object for the host, or of the emulated GPU.
inline const std::string &imageOf(const KernelObject &object) {
  return object.gpuImages.empty() ? object.image : object.gpuImages[0].bytes;
}

class LoadedKernels {
public:
  explicit LoadedKernels(const KernelObject &object) {
    char path[] = "/tmp/partopt-codegen-test-XXXXXX";
    int file = mkstemp(path);
    std::ofstream(path, std::ios::binary) << imageOf(object);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    close(file);
    unlink(path);
  }
  ~LoadedKernels() {
    if (handle)
      dlclose(handle);
  }

  template <typename... Buffers>
  void call(const char *name, Buffers &...buffers) {
    ASSERT_NE(handle, nullptr);
    auto kernel = reinterpret_cast<void (*)(void **)>(dlsym(handle, name));
    ASSERT_NE(kernel, nullptr) << name;
    void *arguments[] = {buffers.pointer()...};
    kernel(arguments);
  }

  void *handle = nullptr;
};

} // namespace partopt::test

#endif // PARTOPT_TEST_UNIT_CODEGEN_COMPILEDKERNELS_H
