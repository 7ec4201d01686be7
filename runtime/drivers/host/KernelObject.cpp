//===- KernelObject.cpp - Loading a class's kernels -----------------------===//
//
// See KernelObject.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/drivers/host/KernelObject.h"

#include "runtime/drivers/host/CpuFeatures.h"

#include "partopt/Plan/PlanFile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace partopt::rt {

static Status checkObject(const plan::KernelObjectT &object) {
  if (!object.gpu_images.empty())
    return Status::badInput("the plan's kernels are for a GPU: run it with "
                            "--driver cuda, or compile the model for the host");
  if (plan::hashBytes(object.image.data(), object.image.size()) != object.hash)
    return Status::badInput("the kernel object was altered after it was "
                            "compiled: its content does not match its hash");
  if (object.abi_version != plan::kernelAbiVersion)
    return Status::badInput(
        "the kernel object has ABI version " +
        std::to_string(object.abi_version) + ", this runtime has " +
        std::to_string(plan::kernelAbiVersion) + ": compile the model again");
#if defined(__x86_64__) && defined(__linux__)
  const char *architecture = "x86_64";
#else
  const char *architecture = "unsupported";
#endif
  std::string triple = object.triple;
  if (triple.rfind(architecture, 0) != 0 ||
      triple.find("linux") == std::string::npos)
    return Status::badInput("the kernel object is for '" + triple +
                            "', this machine is " + architecture +
                            "-linux: compile the model for it");
  std::vector<std::string> missing =
      missingCpuFeatures(object.cpu, object.features);
  if (missing.empty())
    return Status();
  std::string list;
  for (const std::string &name : missing)
    list += (list.empty() ? "" : ", ") + name;
  return Status::badInput("the kernel object was compiled for '" + object.cpu +
                          "', this processor lacks: " + list +
                          "; compile with --target-cpu native on this machine");
}

static bool writeAll(int descriptor, const std::vector<uint8_t> &bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t wrote = write(descriptor, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      return false;
    done += static_cast<size_t>(wrote);
  }
  return true;
}

/// A handle, or null with dlerror() set or errno telling.
static void *openInMemory(const std::vector<uint8_t> &image, int &descriptor) {
  descriptor = memfd_create("partopt-kernels", MFD_CLOEXEC);
  if (descriptor < 0)
    return nullptr;
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  void *handle = nullptr;
  if (writeAll(descriptor, image))
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    close(descriptor);
    descriptor = -1;
  }
  return handle;
}

/// A private file (mode 0600) that is unlinked as soon as it is loaded.
static void *openFromFile(const std::vector<uint8_t> &image, int &descriptor) {
  const char *folder = std::getenv("TMPDIR");
  std::string path =
      std::string(folder && *folder ? folder : "/tmp") + "/partopt-XXXXXX";
  descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0)
    return nullptr;
  void *handle = nullptr;
  if (writeAll(descriptor, image))
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  unlink(path.c_str());
  if (!handle) {
    close(descriptor);
    descriptor = -1;
  }
  return handle;
}

HostKernels::~HostKernels() {
  if (handle)
    dlclose(handle);
  if (descriptor >= 0)
    close(descriptor);
}

StatusOr<std::shared_ptr<KernelLibrary>>
HostKernels::load(const plan::KernelObjectT &object, bool preferFile) {
  std::shared_ptr<HostKernels> kernels(new HostKernels());
  if (object.symbols.empty())
    return std::shared_ptr<KernelLibrary>(kernels);
  Status status = checkObject(object);
  if (!status.ok())
    return status;
  if (!preferFile)
    kernels->handle = openInMemory(object.image, kernels->descriptor);
  if (!kernels->handle)
    kernels->handle = openFromFile(object.image, kernels->descriptor);
  if (!kernels->handle) {
    const char *reason = dlerror();
    return Status::badInput(std::string("cannot load the kernel object: ") +
                            (reason ? reason : std::strerror(errno)));
  }
  for (const std::string &symbol : object.symbols) {
    void *address = dlsym(kernels->handle, symbol.c_str());
    if (!address)
      return Status::badInput("the kernel object has no symbol '" + symbol +
                              "'");
    kernels->functions.push_back(reinterpret_cast<KernelFunction>(address));
  }
  return std::shared_ptr<KernelLibrary>(kernels);
}

} // namespace partopt::rt
