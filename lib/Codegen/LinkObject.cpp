// Object file to shared object, in process through lld; the undefined symbols
// are checked against a fixed list first, so that a kernel never depends on
// more than libc's memory functions and libm.
#include "Backend.h"
#include "GpuBackend.h"

#include "lld/Common/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;

namespace partopt::codegen {
namespace {

/// What a kernel may leave undefined; the executor's process has all of them.
const llvm::StringSet<> &allowedSymbols() {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> set;
    for (const char *name :
         {"memset", "memcpy", "memmove", "lgamma_r", "sincos", "sincosf"})
      set.insert(name);
    for (const char *name :
         {"exp",   "exp2", "expm1",     "log",       "log2",   "log10", "log1p",
          "pow",   "sin",  "cos",       "tan",       "asin",   "acos",  "atan",
          "sinh",  "cosh", "tanh",      "asinh",     "acosh",  "atanh", "erf",
          "erfc",  "cbrt", "atan2",     "fmod",      "round",  "floor", "ceil",
          "trunc", "rint", "nearbyint", "roundeven", "tgamma", "hypot"}) {
      set.insert(name);
      set.insert(std::string(name) + "f");
    }
    return set;
  }();
  return names;
}

LogicalResult checkUndefined(Location loc, StringRef object, bool isEmulated) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "kernels.o"));
  if (!file)
    return emitError(loc, "the kernels' object cannot be read back: ")
           << llvm::toString(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name)
      return emitError(loc, "the kernels' object has a damaged symbol table");
    if (name->empty() || !(*flags & llvm::object::SymbolRef::SF_Undefined))
      continue;
    if (isEmulated && *name == kEmulatorSymbol)
      continue;
    if (!allowedSymbols().contains(*name))
      return emitError(loc, "kernels need the symbol '")
             << *name
             << "', which is not among the functions of libc and libm that a "
                "kernel may call";
  }
  return success();
}

/// A file that cannot be removed stays in the temporary folder.
void removeFile(StringRef path) {
  std::error_code ignored = llvm::sys::fs::remove(path);
  (void)ignored;
}

/// A fresh file with `contents`; removed by the caller.
FailureOr<std::string> writeTemporary(Location loc, StringRef suffix,
                                      StringRef contents) {
  SmallString<128> path;
  int fd = -1;
  std::error_code error =
      llvm::sys::fs::createTemporaryFile("partopt-kernels", suffix, fd, path);
  if (error)
    return emitError(loc, "no temporary file for the kernels: ")
           << error.message();
  llvm::raw_fd_ostream out(fd, /*shouldClose=*/true);
  out << contents;
  out.close();
  if (out.has_error())
    return emitError(loc, "cannot write ")
           << path << ": " << out.error().message();
  return std::string(path);
}

} // namespace

FailureOr<std::string> linkSharedObject(Location loc, StringRef object,
                                        bool isEmulated) {
  if (failed(checkUndefined(loc, object, isEmulated)))
    return failure();
  FailureOr<std::string> input = writeTemporary(loc, "o", object);
  if (failed(input))
    return failure();
  auto removeInput = llvm::make_scope_exit([&] { removeFile(*input); });
  FailureOr<std::string> output = writeTemporary(loc, "so", "");
  if (failed(output))
    return failure();
  auto removeOutput = llvm::make_scope_exit([&] { removeFile(*output); });

  // lld keeps global state: one link at a time.
  static std::mutex linkMutex;
  std::string text;
  llvm::raw_string_ostream messages(text);
  int code;
  {
    std::lock_guard<std::mutex> lock(linkMutex);
    const char *args[] = {"ld.lld",
                          "-shared",
                          "--build-id=none",
                          "-soname=partopt-kernels.so",
                          "-z",
                          "now",
                          "--threads=1",
                          input->c_str(),
                          "-o",
                          output->c_str()};
    code = lld::lldMain(args, messages, messages, {{lld::Gnu, &lld::elf::link}})
               .retCode;
  }
  if (code != 0)
    return emitError(loc, "linking the kernels failed: ") << messages.str();
  auto buffer = llvm::MemoryBuffer::getFile(*output);
  if (!buffer)
    return emitError(loc, "cannot read ")
           << *output << ": " << buffer.getError().message();
  return (*buffer)->getBuffer().str();
}

} // namespace partopt::codegen
