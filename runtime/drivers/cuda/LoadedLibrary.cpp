//===- LoadedLibrary.cpp - A vendor's library, found at run time ----------===//
//
// See LoadedLibrary.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/cuda/LoadedLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace partopt::rt {

static std::vector<std::string>
candidates(const LoadedLibrary::Search &search) {
  // An explicit choice is not replaced silently.
  const char *chosen = std::getenv(search.variable);
  if (chosen && *chosen)
    return {chosen};
  std::vector<std::string> folders = {""};
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    for (const char *folder : {"/lib64/", "/lib/"})
      folders.push_back(std::string(home) + folder);
  folders.push_back("/usr/local/cuda/lib64/");
  std::vector<std::string> paths;
  for (const std::string &folder : folders)
    paths.push_back(folder + search.name);
  return paths;
}

StatusOr<LoadedLibrary> LoadedLibrary::open(const Search &search) {
  std::string tried;
  for (const std::string &path : candidates(search)) {
    LoadedLibrary library;
    library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle) {
      library.loadedFrom = path;
      return library;
    }
    const char *reason = dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(reason ? reason : path);
  }
  return Status::badInput(std::string(search.what) + " cannot be loaded (" +
                          tried + "): " + search.advice + ", or name it in " +
                          search.variable);
}

void *LoadedLibrary::address(const char *symbol) const {
  return dlsym(handle, symbol);
}

std::string libraryVersionText(size_t version) {
  return std::to_string(version / 10000) + "." +
         std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

} // namespace partopt::rt
