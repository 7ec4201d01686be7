// Compiles the kernel functions of an MLIR file to a shared object:
//   partopt-kernel-test IN.mlir OUT.so [--cpu NAME] [--keep DIR]
//     [--gpu-arch ARCH] [--time]
// One symbol per function with `partopt.kernel`, as the executor calls them.
#include "dialects/StableHLO/StableHLO.h"
#include "partopt/Codegen/Codegen.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>

int main(int argc, char **argv) {
  std::vector<std::string> files;
  partopt::CodegenOptions options;
  // The tests that compare kernels run once more on the emulated GPU.
  if (const char *arch = std::getenv("PARTOPT_TEST_GPU_ARCH"))
    options.gpuArchs.push_back(arch);
  bool isTimed = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--cpu" && i + 1 < argc)
      options.cpu = argv[++i];
    else if (argument == "--keep" && i + 1 < argc)
      options.keepDir = argv[++i];
    else if (argument == "--gpu-arch" && i + 1 < argc)
      options.gpuArchs.push_back(argv[++i]);
    else if (argument == "--time")
      isTimed = true;
    else
      files.push_back(argument);
  }
  if (files.size() != 2) {
    std::cerr << "usage: partopt-kernel-test IN.mlir OUT.so [--cpu NAME] "
                 "[--keep DIR] [--gpu-arch ARCH] [--time]\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect>();
  partopt::stablehlo::registerStableHLODialects(registry);
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(files[0], sources, &context);
  if (!module)
    return 2;
  auto start = std::chrono::steady_clock::now();
  auto object = partopt::compileKernels(*module, options);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (failed(object))
    return 1;
  const std::string &image =
      object->gpuImages.empty() ? object->image : object->gpuImages[0].bytes;
  std::ofstream(files[1], std::ios::binary) << image;
  if (isTimed)
    std::cout << object->symbols.size() << " kernels, " << took.count()
              << " s, " << image.size() << " bytes\n";
  return 0;
}
