//===- Blas.h - Matrix products through OpenBLAS --------------------------===//
//
// The library is found at run time. Each rank multiplies on its own thread, so
// the library itself must use one: more would oversubscribe the machine and
// make results depend on how work was split. It must also bear calls from
// several threads, which OpenBLAS's serial build does not: it hands one packing
// buffer to two callers, and products come out wrong now and then.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_HOST_BLAS_H
#define PARTOPT_RUNTIME_DRIVERS_HOST_BLAS_H

#include "runtime/hal/Driver.h"

namespace partopt::rt {

class Blas {
public:
  /// Loads the library once per process: $PARTOPT_BLAS, or OpenBLAS's threaded
  /// build, or whichever OpenBLAS the system has. Fails with what was tried.
  static StatusOr<const Blas *> get();

  /// Loads one library and makes it use one thread per call. Refuses a library
  /// that has no CBLAS products, or that says it was built for callers of a
  /// single thread. An OpenBLAS that is older than the processor runs on it as
  /// on one without AVX2; unless $OPENBLAS_CORETYPE is set, it is loaded again
  /// for what the processor can do.
  static StatusOr<Blas> open(const std::string &path);

  /// C = A * B for every batch, see plan::GemmT; safe from several threads.
  void multiply(const GemmCall &call) const;

  const std::string &path() const { return libraryPath; }
  /// The processor whose code the library uses, in OpenBLAS's names; "":
  /// others.
  const std::string &core() const { return coreName; }

private:
  Blas() = default;
  static StatusOr<Blas> load();
  template <typename T, typename Function>
  static void run(Function function, const GemmCall &call);

  using Sgemm = void (*)(int, int, int, int, int, int, float, const float *,
                         int, const float *, int, float, float *, int);
  using Dgemm = void (*)(int, int, int, int, int, int, double, const double *,
                         int, const double *, int, double, double *, int);
  Sgemm sgemm = nullptr;
  Dgemm dgemm = nullptr;
  std::string libraryPath, coreName;
};

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_HOST_BLAS_H
