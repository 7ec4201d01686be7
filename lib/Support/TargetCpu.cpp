// See TargetCpu.h.

#include "partopt/Support/TargetCpu.h"

#include "partopt/Support/Words.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>

using namespace partopt;
using llvm::StringRef;

using Subtarget = std::unique_ptr<llvm::MCSubtargetInfo>;

/// Code of this machine's word size can run on the processor: LLVM knows those
/// of 32 bits by the same triple.
static bool hasWordSize(const llvm::Target &target, const llvm::Triple &triple,
                        StringRef cpu) {
  if (triple.getArch() != llvm::Triple::x86_64)
    return true;
  Subtarget of(target.createMCSubtargetInfo(triple.str(), cpu, ""));
  return of->checkFeatures("+64bit");
}

std::string partopt::checkTargetCpu(StringRef cpu) {
  llvm::InitializeNativeTarget();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string missing;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple.str(), missing);
  if (!target)
    return "no code generator for " + triple.str() + ": " + missing;
  Subtarget any(target->createMCSubtargetInfo(triple.str(), "", ""));
  if (cpu == "native")
    return "";
  if (any->isCPUStringValid(cpu) && hasWordSize(*target, triple, cpu))
    return "";
  llvm::SmallVector<StringRef> names = {"native"};
  for (const llvm::SubtargetSubTypeKV &known :
       any->getAllProcessorDescriptions())
    if (hasWordSize(*target, triple, known.Key))
      names.push_back(known.Key);
  return (any->isCPUStringValid(cpu) ? "no 64-bit code runs on the target CPU '"
                                     : "unknown target CPU '") +
         cpu.str() + "'" +
         didYouMean(cpu, names,
                    "use a name of LLVM, such as x86-64-v3, or native");
}
