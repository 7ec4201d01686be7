//===- HostKernelsForShim.h - A host plan for the stand-in ----------------===//
//
// TEST ONLY. The kernels of a plan for the host become an image for the
// emulated device, each of them one launch, so that whole plans run through the
// CUDA executor without a GPU.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_CUDASHIM_HOSTKERNELSFORSHIM_H
#define PARTOPT_TEST_CUDASHIM_HOSTKERNELSFORSHIM_H

#include "partopt/Plan/PlanFormat_generated.h"

#include <algorithm>
#include <map>
#include <string>

namespace partopt::shim {

inline void useHostKernels(plan::KernelObjectT &object) {
  auto image = std::make_unique<plan::GpuImageT>();
  image->kind = plan::GpuImageKind::Host;
  image->image = std::move(object.image);
  image->hash = object.hash;
  object.image.clear();
  object.gpu_images.push_back(std::move(image));
  for (const std::string &symbol : object.symbols) {
    auto launch = std::make_unique<plan::GpuLaunchT>();
    launch->symbol = symbol;
    launch->grid = launch->block = {1, 1, 1};
    auto kernel = std::make_unique<plan::GpuKernelT>();
    kernel->launches.push_back(std::move(launch));
    object.gpu_kernels.push_back(std::move(kernel));
  }
}

inline void useHostKernels(plan::PlanT &plan) {
  for (const auto &rankClass : plan.classes)
    if (rankClass->kernels && !rankClass->kernels->image.empty())
      useHostKernels(*rankClass->kernels);
}

/// By symbol, what its arguments are, in order: "r64 w128". Where launches of
/// one kernel have buffers of several sizes, the least is what it touches.
inline std::map<std::string, std::string>
kernelAccesses(const plan::PlanT &plan) {
  struct Argument {
    uint64_t bytes;
    bool isWrite;
  };
  std::map<std::string, std::vector<Argument>> found;
  const plan::KernelObjectT *first = plan.classes.front()->kernels.get();
  for (const auto &rankClass : plan.classes) {
    const plan::KernelObjectT *object =
        rankClass->kernels ? rankClass->kernels.get() : first;
    for (const auto &program : rankClass->programs)
      for (const auto &instruction : program->instructions) {
        const auto *launch = instruction->op.AsLaunch();
        if (!launch)
          continue;
        std::vector<Argument> &list = found[object->symbols[launch->kernel]];
        size_t inputs = launch->args.size() - instruction->writes.size();
        for (size_t i = 0; i < launch->args.size(); ++i) {
          uint64_t bytes = program->buffers[launch->args[i]]->bytes;
          if (list.size() <= i)
            list.push_back({bytes, i >= inputs});
          list[i].bytes = std::min(list[i].bytes, bytes);
        }
      }
  }
  std::map<std::string, std::string> texts;
  for (const auto &[symbol, list] : found)
    for (const Argument &argument : list)
      texts[symbol] += std::string(argument.isWrite ? " w" : " r") +
                       std::to_string(argument.bytes);
  return texts;
}

} // namespace partopt::shim

#endif // PARTOPT_TEST_CUDASHIM_HOSTKERNELSFORSHIM_H
