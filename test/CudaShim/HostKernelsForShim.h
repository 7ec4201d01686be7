//===- HostKernelsForShim.h - A host plan for the stand-in ----------------===//
//
// TEST ONLY. The kernels of a plan for the host become an image for the
// emulated device, each of them one launch, so that whole plans run through the
// CUDA executor without a GPU. Plans for the emulated device stay as they are.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TEST_CUDASHIM_HOSTKERNELSFORSHIM_H
#define PARTOPT_TEST_CUDASHIM_HOSTKERNELSFORSHIM_H

#include "partopt/Plan/Classes.h"
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

/// Of a kernel's arguments, in order, "r64 w128". Where launches of one kernel
/// have buffers of several sizes, the least is what it touches.
class KernelArguments {
public:
  void add(const plan::ProgramT &program,
           const plan::InstructionT &instruction) {
    const std::vector<uint32_t> &buffers = instruction.op.AsLaunch()->args;
    size_t inputs = buffers.size() - instruction.writes.size();
    for (size_t i = 0; i < buffers.size(); ++i) {
      uint64_t size = program.buffers[buffers[i]]->bytes;
      if (arguments.size() <= i)
        arguments.push_back({size, i >= inputs});
      arguments[i].bytes = std::min(arguments[i].bytes, size);
    }
  }
  std::string text() const {
    std::string list;
    for (const Argument &argument : arguments)
      list += (argument.isWrite ? " w" : " r") + std::to_string(argument.bytes);
    return list;
  }

private:
  struct Argument {
    uint64_t bytes;
    bool isWrite;
  };
  std::vector<Argument> arguments;
};

/// By what is launched, what it touches.
inline std::map<std::string, std::string>
kernelAccesses(const plan::PlanT &plan) {
  std::map<std::string, std::string> texts;
  for (const auto &rankClass : plan.classes) {
    const plan::KernelObjectT *object = plan::kernelsOf(plan, *rankClass);
    std::map<uint32_t, KernelArguments> kernels;
    for (const auto &program : rankClass->programs)
      for (const auto &instruction : program->instructions)
        if (const auto *launch = instruction->op.AsLaunch())
          kernels[launch->kernel].add(*program, *instruction);
    for (const auto &[kernel, arguments] : kernels) {
      texts[object->symbols[kernel]] = arguments.text();
      if (object->gpu_kernels.empty())
        continue;
      const plan::GpuKernelT &gpu = *object->gpu_kernels[kernel];
      for (const auto &launch : gpu.launches)
        texts[launch->symbol] =
            arguments.text() + " w" + std::to_string(gpu.scratch_bytes);
    }
  }
  return texts;
}

} // namespace partopt::shim

#endif // PARTOPT_TEST_CUDASHIM_HOSTKERNELSFORSHIM_H
