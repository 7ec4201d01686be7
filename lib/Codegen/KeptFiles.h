// What --keep-kernels writes.
#ifndef PARTOPT_LIB_CODEGEN_KEPTFILES_H
#define PARTOPT_LIB_CODEGEN_KEPTFILES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace partopt::codegen {

/// Writes what --keep-kernels asks for; nothing when the folder is empty.
class KeptFiles {
public:
  KeptFiles(mlir::Location loc, llvm::StringRef dir) : loc(loc), dir(dir) {}

  bool wanted() const { return !dir.empty(); }

  mlir::LogicalResult write(llvm::StringRef name, llvm::StringRef contents) {
    if (dir.empty())
      return mlir::success();
    llvm::SmallString<128> path(dir);
    std::error_code error = llvm::sys::fs::create_directories(path);
    llvm::sys::path::append(path, name);
    if (!error) {
      llvm::raw_fd_ostream out(path, error);
      if (!error)
        out << contents;
    }
    if (error)
      return mlir::emitError(loc, "cannot write ")
             << path << ": " << error.message();
    return mlir::success();
  }

  mlir::LogicalResult write(llvm::StringRef name, mlir::ModuleOp module) {
    if (dir.empty())
      return mlir::success();
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out);
    return write(name, text);
  }

private:
  mlir::Location loc;
  std::string dir;
};

} // namespace partopt::codegen

#endif // PARTOPT_LIB_CODEGEN_KEPTFILES_H
