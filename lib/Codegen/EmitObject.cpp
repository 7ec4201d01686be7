// LLVM dialect to a relocatable object: one LLVM module for all kernels, the
// O3 pipeline with loop vectorisation, one pass of instruction selection.
#include "Backend.h"

#include "partopt/Support/TargetCpu.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace partopt::codegen {
namespace {

/// Features that decide whether a machine can run the code: those of x86-64-v2
/// and v3, and the vector extensions that `native` may add.
constexpr const char *kRuntimeFeatures[] = {
    "avx",     "avx2",       "avx512bf16", "avx512bw",   "avx512cd", "avx512dq",
    "avx512f", "avx512fp16", "avx512vl",   "avx512vnni", "avxvnni",  "bmi",
    "bmi2",    "f16c",       "fma",        "lzcnt",      "movbe",    "popcnt",
    "sse3",    "sse4.1",     "sse4.2",     "ssse3"};

std::string nativeFeatures() {
  std::vector<std::string> names;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(names);
  return llvm::join(names, ",");
}

} // namespace

void optimise(llvm::Module &module, llvm::TargetMachine &machine,
              bool vectorises) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = vectorises;
  tuning.LoopInterleaving = vectorises;
  tuning.SLPVectorization = vectorises;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  // O3 unrolls the small static loops of kernels several times over: twice the
  // compile time and code for steps that are as fast (bench/README.md).
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

FailureOr<HostTarget> createHostTarget(Location loc, StringRef cpu) {
  static const bool initialised = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialised;

  if (std::string wrong = checkTargetCpu(cpu); !wrong.empty())
    return emitError(loc) << wrong;
  HostTarget result;
  result.triple = llvm::sys::getDefaultTargetTriple();
  bool native = cpu == "native";
  result.cpu = native ? llvm::sys::getHostCPUName().str() : cpu.str();
  std::string ignored; // the target is there, as checkTargetCpu found
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(result.triple, ignored);
  result.machine.reset(target->createTargetMachine(
      result.triple, result.cpu, native ? nativeFeatures() : "",
      llvm::TargetOptions(), llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Aggressive));
  for (const char *feature : kRuntimeFeatures)
    if (result.machine->getMCSubtargetInfo()->checkFeatures(std::string("+") +
                                                            feature))
      result.features.push_back(feature);
  return result;
}

FailureOr<std::string> emitObject(ModuleOp module, const HostTarget &target,
                                  std::string *llvmText) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!code)
    return emitError(module.getLoc(), "translation of kernels to LLVM failed");
  FailureOr<std::string> object =
      emitHostObject(module.getLoc(), *code, target);
  if (llvmText) {
    llvm::raw_string_ostream out(*llvmText);
    code->print(out, nullptr);
  }
  return object;
}

FailureOr<std::string> emitHostObject(Location loc, llvm::Module &code,
                                      const HostTarget &target) {
  code.setDataLayout(target.machine->createDataLayout());
  code.setTargetTriple(target.triple);
  for (llvm::Function &function : code) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features",
                       target.machine->getTargetFeatureString());
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("no-trapping-math", "true");
  }
  optimise(code, *target.machine, /*vectorises=*/true);
  SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (target.machine->addPassesToEmitFile(passes, out, nullptr,
                                          llvm::CodeGenFileType::ObjectFile))
    return emitError(loc, "LLVM cannot write objects for ") << target.triple;
  passes.run(code);
  return bytes.str().str();
}

} // namespace partopt::codegen
