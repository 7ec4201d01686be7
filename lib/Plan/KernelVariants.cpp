//===- KernelVariants.cpp - Kernels that write over an input --------------===//
//
// A variant is a copy right after its kernel, named after the pairs.
//
//===----------------------------------------------------------------------===//

#include "KernelVariants.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partopt;

func::FuncOp KernelVariants::get(func::FuncOp kernel, Pairs pairs) {
  std::string name = kernel.getSymName().str();
  for (auto [argument, result] : pairs)
    name +=
        "_r" + std::to_string(result) + "_over_a" + std::to_string(argument);
  func::FuncOp &variant = variants[name];
  if (!variant && pairs.empty())
    variant = kernel;
  if (!variant) {
    variant = kernel.clone();
    variant.setSymName(name);
    Builder builder(kernel.getContext());
    for (auto [argument, result] : pairs)
      variant.setArgAttr(argument, kOverwriteAttr,
                         builder.getI64IntegerAttr(result));
    kernel->getBlock()->getOperations().insertAfter(kernel->getIterator(),
                                                    variant);
  }
  used.insert(variant);
  return variant;
}

void KernelVariants::eraseUnused(ModuleOp module) const {
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function->hasAttr(kKernelAttr) && !used.contains(function))
      function.erase();
}
