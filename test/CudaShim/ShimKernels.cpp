//===- ShimKernels.cpp - Kernels that the stand-in can run ----------------===//
//
// TEST ONLY. See ShimKernels.h.
//
//===----------------------------------------------------------------------===//

#include "ShimKernels.h"

#include "partopt/Plan/ElementTypes.h"
#include "runtime/collectives/Combine.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace partopt::shim {

using plan::Combiner;
using plan::ElementType;

static uint64_t elfBytes(const void *image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  return header.e_shoff + uint64_t(header.e_shentsize) * header.e_shnum;
}

/// Images for the emulated device leave the emulator's functions undefined;
/// they are this library's.
static void exportOwnSymbols() {
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&partopt_emulate_grid), &self))
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

Module *loadModule(const void *image) {
  auto module = std::make_unique<Module>();
  const char *bytes = static_cast<const char *>(image);
  if (std::memcmp(bytes, ELFMAG, SELFMAG) != 0) {
    module->ptx = bytes;
    return module->ptx.find(".entry") != std::string::npos ? module.release()
                                                           : nullptr;
  }
  int descriptor = memfd_create("shim-kernels", MFD_CLOEXEC);
  uint64_t size = elfBytes(image);
  if (write(descriptor, image, size) != static_cast<ssize_t>(size))
    return nullptr;
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  exportOwnSymbols();
  // The descriptor stays open: the loader tells objects apart by it.
  module->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module->library)
    std::fprintf(stderr, "cuda shim: %s\n", dlerror());
  return module->library ? module.release() : nullptr;
}

/// The reduction that is called so.
static std::optional<rt::Reduction> parseReduction(const std::string &symbol) {
  for (unsigned type = 1; type <= unsigned(ElementType::MAX); ++type)
    for (unsigned combiner = 1; combiner <= unsigned(Combiner::MAX); ++combiner)
      for (rt::CombineOrder order :
           {rt::CombineOrder::Ring, rt::CombineOrder::Tree}) {
        rt::Reduction reduction{static_cast<Combiner>(combiner),
                                static_cast<ElementType>(type), order, 0, 0};
        std::string prefix = reduction.name();
        prefix.resize(prefix.size() - std::strlen("0_to0"));
        if (symbol.rfind(prefix, 0) != 0)
          continue;
        if (std::sscanf(symbol.c_str() + prefix.size(), "%u_to%u",
                        &reduction.sources, &reduction.targets) == 2)
          return reduction;
      }
  return std::nullopt;
}

/// Whether a symbol is data.
static bool isTable(void *address) {
  Dl_info info;
  const Elf64_Sym *symbol = nullptr;
  return address &&
         dladdr1(address, &info,
                 reinterpret_cast<void **>(const_cast<Elf64_Sym **>(&symbol)),
                 RTLD_DL_SYMENT) &&
         symbol && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

Function *findFunction(const Module &module, const std::string &symbol) {
  auto function = std::make_unique<Function>();
  function->symbol = symbol;
  if (module.library) {
    void *address = dlsym(module.library, symbol.c_str());
    if (isTable(address))
      function->grid = static_cast<const PartoptEmulatedGrid *>(address);
    else
      function->host = reinterpret_cast<void (*)(void **)>(address);
    return address ? function.release() : nullptr;
  }
  if (module.ptx.find(".entry " + symbol + "(") == std::string::npos)
    return nullptr;
  function->reduction = parseReduction(symbol);
  return function->reduction ? function.release() : nullptr;
}

namespace {

/// Runs a reduction by the host's combiner, in the order of its name.
class Reducer {
public:
  Reducer(const rt::Reduction &reduction,
          const std::vector<uint64_t> &parameters)
      : reduction(reduction), parameters(parameters),
        bytes(parameters.back() * plan::elementSize(reduction.type)),
        combine(rt::combineFunction(reduction.type, reduction.combiner)) {}

  void run() {
    std::vector<uint8_t> sum = reduction.order == rt::CombineOrder::Tree
                                   ? tree(0, reduction.sources)
                                   : ring();
    for (uint32_t target = 0; target < reduction.targets; ++target)
      std::memcpy(reinterpret_cast<void *>(parameters[target]), sum.data(),
                  bytes);
  }

private:
  std::vector<uint8_t> source(uint32_t index) const {
    const auto *from = reinterpret_cast<const uint8_t *>(
        parameters[reduction.targets + index]);
    return {from, from + bytes};
  }
  std::vector<uint8_t> ring() const {
    std::vector<uint8_t> sum = source(0);
    for (uint32_t i = 1; i < reduction.sources; ++i) {
      std::vector<uint8_t> own = source(i);
      combine(own.data(), sum.data(), parameters.back());
      sum = std::move(own);
    }
    return sum;
  }
  std::vector<uint8_t> tree(uint32_t first, uint32_t count) const {
    if (count == 1)
      return source(first);
    std::vector<uint8_t> own = tree(first, count / 2);
    std::vector<uint8_t> other = tree(first + count / 2, count / 2);
    combine(own.data(), other.data(), parameters.back());
    return own;
  }

  rt::Reduction reduction;
  std::vector<uint64_t> parameters;
  uint64_t bytes;
  rt::CombineFunction combine;
};

} // namespace

Work launchWork(const Function &function, unsigned blocks,
                std::vector<uint64_t> parameters) {
  Work work;
  work.name = function.symbol;
  if (function.reduction) {
    const rt::Reduction &reduction = *function.reduction;
    uint64_t bytes = parameters.back() * plan::elementSize(reduction.type);
    for (uint32_t i = 0; i < reduction.targets + reduction.sources; ++i)
      work.accesses.push_back({parameters[i], bytes, i < reduction.targets});
    work.run = [reduction, parameters] {
      Reducer(reduction, parameters).run();
    };
    return work;
  }
  if (const std::vector<Access> *known =
          Shim::get().accessesOf(function.symbol))
    for (size_t i = 0; i < known->size() && i < parameters.size(); ++i)
      work.accesses.push_back(
          {parameters[i], (*known)[i].bytes, (*known)[i].isWrite});
  if (function.grid) {
    work.run = [grid = function.grid, blocks, parameters]() mutable {
      std::vector<void *> addresses;
      for (uint64_t &parameter : parameters)
        addresses.push_back(&parameter);
      partopt_emulate_grid(grid, blocks, addresses.data());
    };
    return work;
  }
  work.run = [host = function.host, parameters]() mutable {
    host(reinterpret_cast<void **>(parameters.data()));
  };
  return work;
}

} // namespace partopt::shim
