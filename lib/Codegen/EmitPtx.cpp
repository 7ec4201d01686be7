// LLVM's IR to PTX, and PTX to cubins through ptxas. Divisions and roots are
// rounded correctly, denormal numbers are kept, and products and sums are not
// contracted: LLVM's defaults for NVPTX, of which this file changes nothing.
#include "GpuBackend.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <cstdlib>

using namespace mlir;

namespace partopt::codegen {

FailureOr<std::string> emitPtx(Location loc, llvm::Module &code,
                               StringRef compute) {
  static const bool initialised = [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialised;
  std::string message, triple = "nvptx64-nvidia-cuda";
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return emitError(loc, "no code generator for ")
           << triple << ": " << message;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, compute, "", llvm::TargetOptions(), std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  code.setTargetTriple(triple);
  code.setDataLayout(machine->createDataLayout());
  optimise(code, *machine, /*vectorises=*/false);
  SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return emitError(loc, "LLVM cannot write PTX");
  passes.run(code);
  return text.str().str();
}

std::optional<std::string> findPtxas() {
  if (const char *path = std::getenv("PARTOPT_PTXAS"))
    return *path ? std::optional<std::string>(path) : std::nullopt;
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  if (auto path =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *path;
  return std::nullopt;
}

static std::string contents(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

FailureOr<std::string> assemblePtx(Location loc, StringRef ptxas, StringRef ptx,
                                   StringRef arch) {
  SmallVector<std::string, 3> files;
  auto removeFiles = llvm::make_scope_exit([&] {
    for (const std::string &path : files)
      if (llvm::sys::fs::remove(path))
        continue; // stays in the temporary folder
  });
  int input = -1;
  for (StringRef suffix : {"ptx", "cubin", "log"}) {
    SmallString<128> path;
    int file = -1;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile(
            "partopt-kernels", suffix, file, path))
      return emitError(loc, "no temporary file for ptxas: ") << error.message();
    files.push_back(path.str().str());
    if (input < 0)
      input = file;
    else
      llvm::sys::Process::SafelyCloseFileDescriptor(file);
  }
  {
    llvm::raw_fd_ostream out(input, /*shouldClose=*/true);
    out << ptx;
    out.close();
    if (out.has_error())
      return emitError(loc, "cannot write ")
             << files[0] << ": " << out.error().message();
  }
  std::string option = "-arch=" + arch.str(), message;
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(files[2]),
                                          StringRef(files[2])};
  int code = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, option, "-O3", files[0], "-o", files[1]}, std::nullopt,
      redirects, 0, 0, &message);
  if (code != 0)
    return emitError(loc, "") << ptxas << " cannot assemble the kernels for "
                              << arch << ": " << message << contents(files[2]);
  return contents(files[1]);
}

} // namespace partopt::codegen
