//===- Blas.cpp - Matrix products through OpenBLAS ------------------------===//
//
// See Blas.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/host/Blas.h"

#include "partopt/Plan/ElementTypes.h"
#include "runtime/drivers/host/CpuFeatures.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace partopt::rt {

/// True for an OpenBLAS without threads and without locks.
static bool isForOneThread(void *handle) {
  auto config =
      reinterpret_cast<char *(*)()>(dlsym(handle, "openblas_get_config"));
  if (!config)
    return false;
  std::string text = config();
  return text.find("SINGLE_THREADED") != std::string::npos &&
         text.find("USE_LOCKING") == std::string::npos;
}

static std::string coreOf(void *handle) {
  auto name =
      reinterpret_cast<char *(*)()>(dlsym(handle, "openblas_get_corename"));
  return name ? name() : "";
}

/// What OpenBLAS should take this processor for, where it knows its model so
/// little that it took it for one of those without AVX2; else "".
static std::string betterCore(const std::string &core) {
  for (const char *old : {"Prescott", "Core2", "Penryn", "Dunnington",
                          "Nehalem", "Sandybridge", "Atom"})
    if (core == old && missingCpuFeatures("x86-64-v3", {}).empty())
      return missingCpuFeatures("x86-64-v4", {}).empty() ? "SkylakeX"
                                                         : "Haswell";
  return "";
}

/// The library, for the processor that it is to run on; null if it cannot be
/// loaded.
static void *loadLibrary(const std::string &path) {
  // Read by a threaded build when it is loaded, as is the core.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char *variable = "OPENBLAS_CORETYPE";
  if (!handle || std::getenv(variable))
    return handle;
  std::string better = betterCore(coreOf(handle));
  if (better.empty())
    return handle;
  dlclose(handle);
  setenv(variable, better.c_str(), 1);
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  unsetenv(variable);
  return handle;
}

StatusOr<Blas> Blas::open(const std::string &path) {
  void *handle = loadLibrary(path);
  if (!handle)
    return Status::badInput(path + " cannot be loaded");
  auto refuse = [&](const char *reason) {
    dlclose(handle);
    return Status::badInput(path + reason);
  };
  Blas blas;
  blas.libraryPath = path;
  blas.coreName = coreOf(handle);
  blas.sgemm = reinterpret_cast<Sgemm>(dlsym(handle, "cblas_sgemm"));
  blas.dgemm = reinterpret_cast<Dgemm>(dlsym(handle, "cblas_dgemm"));
  if (!blas.sgemm || !blas.dgemm)
    return refuse(" has no cblas_sgemm and cblas_dgemm");
  if (isForOneThread(handle))
    return refuse(" was built for callers of one thread and makes wrong "
                  "products under several ranks");
  auto setThreads = reinterpret_cast<void (*)(int)>(
      dlsym(handle, "openblas_set_num_threads"));
  if (setThreads)
    setThreads(1);
  return blas;
}

StatusOr<Blas> Blas::load() {
  std::vector<std::string> candidates = {
      "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
      "/usr/lib/openblas-pthread/libopenblas.so.0",
      "libopenblas.so.0",
      "libopenblas.so",
  };
  // An explicit choice is not replaced silently.
  const char *chosen = std::getenv("PARTOPT_BLAS");
  if (chosen && *chosen)
    candidates = {chosen};
  std::string tried;
  for (const std::string &path : candidates) {
    StatusOr<Blas> blas = open(path);
    if (blas.ok())
      return blas;
    tried += (tried.empty() ? "" : "; ") + blas.status().message();
  }
  return Status::badInput("no BLAS for the plan's matrix products (" + tried +
                          "): install libopenblas0-pthread, or name a "
                          "thread-safe CBLAS library in PARTOPT_BLAS");
}

StatusOr<const Blas *> Blas::get() {
  static StatusOr<Blas> blas = load();
  if (!blas.ok())
    return blas.status();
  return static_cast<const Blas *>(&*blas);
}

template <typename T, typename Function>
void Blas::run(Function function, const GemmCall &call) {
  constexpr int rowMajor = 101, noTrans = 111, trans = 112;
  const plan::GemmT &shape = *call.shape;
  auto narrow = [](uint64_t value) { return static_cast<int>(value); };
  for (uint64_t b = 0; b < shape.batch; ++b) {
    T *c = static_cast<T *>(call.c) + b * shape.stride_c;
    if (shape.k == 0) { // an empty sum; BLAS wants positive strides
      for (uint64_t row = 0; row < shape.m && !shape.accumulate; ++row)
        std::memset(c + row * shape.ldc, 0, shape.n * sizeof(T));
      continue;
    }
    function(rowMajor, shape.trans_a ? trans : noTrans,
             shape.trans_b ? trans : noTrans, narrow(shape.m), narrow(shape.n),
             narrow(shape.k), T(1),
             static_cast<const T *>(call.a) + b * shape.stride_a,
             narrow(shape.lda),
             static_cast<const T *>(call.b) + b * shape.stride_b,
             narrow(shape.ldb), T(shape.accumulate), c, narrow(shape.ldc));
  }
}

void Blas::multiply(const GemmCall &call) const {
  if (call.shape->m == 0 || call.shape->n == 0)
    return;
  if (call.shape->type == plan::ElementType::F64)
    run<double>(dgemm, call);
  else
    run<float>(sgemm, call);
}

} // namespace partopt::rt
