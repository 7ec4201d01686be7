//===- LoadedLibrary.h - A vendor's library, found at run time ------------===//
//
// Nothing links against CUDA: a binary starts on every machine, and says what
// is missing where it is needed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RUNTIME_DRIVERS_CUDA_LOADEDLIBRARY_H
#define PARTOPT_RUNTIME_DRIVERS_CUDA_LOADEDLIBRARY_H

#include "partopt-rt/Status.h"

#include <string>
#include <vector>

namespace partopt::rt {

class LoadedLibrary {
public:
  /// What to look for.
  struct Search {
    const char *what;     ///< "the GPU's driver"
    const char *variable; ///< of the environment: a path, used alone
    std::string name;     ///< "libcuda.so.1"
    const char *advice;   ///< "install …"
  };

  /// Tries the path of the variable, or else the name on the loader's path and
  /// in the toolkit's folders ($CUDA_HOME, /usr/local/cuda). Fails with what
  /// was tried. The library stays loaded.
  static StatusOr<LoadedLibrary> open(const Search &search);

  /// Stores the symbol's address in `function`; false where there is none.
  template <typename Function>
  bool find(const char *symbol, Function &function) const {
    function = reinterpret_cast<Function>(address(symbol));
    return function != nullptr;
  }
  const std::string &path() const { return loadedFrom; }

private:
  void *address(const char *symbol) const;

  void *handle = nullptr;
  std::string loadedFrom;
};

/// "2.28.9" of 22809, as cuBLAS and NCCL count.
std::string libraryVersionText(size_t version);

} // namespace partopt::rt

#endif // PARTOPT_RUNTIME_DRIVERS_CUDA_LOADEDLIBRARY_H
