// Kernels for GPUs: PTX for the two architectures that LLVM makes code for,
// cubins where there is ptxas, or the emulated device's shared object.
#include "GpuBackend.h"
#include "KeptFiles.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

/// The oldest architecture that kernels are for, and the one that those from
/// kNewFrom on are compiled from.
constexpr llvm::StringLiteral kComputes[] = {"80", "90"};
constexpr unsigned kNewFrom = 90;

class GpuCompiler {
public:
  GpuCompiler(ModuleOp module, const CodegenOptions &options)
      : module(module), loc(module.getLoc()), options(options),
        kept(loc, options.keepDir) {}

  FailureOr<KernelObject> run();

private:
  LogicalResult lower();
  FailureOr<std::unique_ptr<llvm::Module>> translate() {
    return translateGrids(*grids, context);
  }
  LogicalResult addPtx();
  LogicalResult addCubins();
  LogicalResult addHost();

  ModuleOp module;
  Location loc;
  const CodegenOptions &options;
  KeptFiles kept;
  llvm::LLVMContext context;
  OwningOpRef<ModuleOp> grids;
  std::vector<GpuProgram> programs;
  KernelObject result;
};

LogicalResult GpuCompiler::lower() {
  grids = ModuleOp::create(loc);
  for (auto kernel : module.getOps<func::FuncOp>()) {
    if (!kernel->hasAttr("partopt.kernel"))
      continue;
    FailureOr<GpuProgram> program = lowerGpuKernel(kernel, *grids);
    if (failed(program))
      return failure();
    GpuKernel own;
    own.scratchBytes = program->scratchBytes;
    for (const GpuGrid &grid : program->grids) {
      if (grid.grid > std::numeric_limits<int32_t>::max())
        return kernel.emitError("kernel @")
               << kernel.getName() << " needs a grid of " << grid.grid
               << " blocks, more than a GPU has";
      own.launches.push_back(
          {grid.symbol, uint32_t(grid.grid), uint32_t(grid.block)});
    }
    result.symbols.push_back(program->name);
    result.gpuKernels.push_back(std::move(own));
    programs.push_back(std::move(*program));
  }
  return success(succeeded(kept.write("kernels.mlir", module)) &&
                 succeeded(kept.write("kernels.grids.mlir", *grids)) &&
                 succeeded(lowerGridsToLLVM(*grids)));
}

LogicalResult GpuCompiler::addPtx() {
  for (StringRef compute : kComputes) {
    auto code = translate();
    if (failed(code))
      return failure();
    FailureOr<std::string> ptx = emitPtx(loc, **code, ("sm_" + compute).str());
    if (failed(ptx) ||
        failed(kept.write(("kernels.compute_" + compute + ".ptx").str(), *ptx)))
      return failure();
    ptx->push_back('\0');
    result.gpuImages.push_back(
        {GpuImage::Kind::Ptx, ("compute_" + compute).str(), std::move(*ptx)});
  }
  return success();
}

LogicalResult GpuCompiler::addCubins() {
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas) {
    emitRemark(loc, "no ptxas in $PARTOPT_PTXAS, the PATH or "
                    "/usr/local/cuda/bin: the plan has PTX, which the driver "
                    "compiles when it is loaded, and no cubins");
    return success();
  }
  for (const std::string &arch : options.gpuArchs) {
    unsigned number = 0;
    StringRef digits = StringRef(arch).drop_front(3);
    digits.consumeInteger(10, number);
    const GpuImage &ptx = result.gpuImages[number >= kNewFrom];
    FailureOr<std::string> cubin =
        assemblePtx(loc, *ptxas, StringRef(ptx.bytes).drop_back(), arch);
    if (failed(cubin) ||
        failed(kept.write("kernels." + arch + ".cubin", *cubin)))
      return failure();
    result.gpuImages.push_back(
        {GpuImage::Kind::Cubin, arch, std::move(*cubin)});
  }
  return success();
}

LogicalResult GpuCompiler::addHost() {
  FailureOr<HostTarget> host = createHostTarget(loc, options.cpu);
  auto code = translate();
  if (failed(host) || failed(code))
    return failure();
  (*code)->setDataLayout(host->machine->createDataLayout());
  emulateGrids(**code, programs);
  FailureOr<std::string> object = emitHostObject(loc, **code, *host);
  if (failed(object))
    return failure();
  FailureOr<std::string> image =
      linkSharedObject(loc, *object, /*isEmulated=*/true);
  if (failed(image) || failed(kept.write("kernels.emulated.so", *image)))
    return failure();
  result.gpuImages.push_back(
      {GpuImage::Kind::Host, kEmulatedGpu, std::move(*image)});
  result.triple = host->triple;
  result.cpu = host->cpu;
  result.features = host->features;
  return success();
}

FailureOr<KernelObject> GpuCompiler::run() {
  if (failed(lower()))
    return failure();
  bool isEmulated = options.gpuArchs.front() == kEmulatedGpu;
  if (isEmulated ? failed(addHost()) : failed(addPtx()) || failed(addCubins()))
    return failure();
  return std::move(result);
}

} // namespace

FailureOr<KernelObject> compileGpuKernels(ModuleOp module,
                                          const CodegenOptions &options) {
  return GpuCompiler(module, options).run();
}

} // namespace partopt::codegen
