// Reads model files: plain or gzip'd text of newer MLIR, or partopt's own
// bytecode.

#ifndef PARTOPT_IMPORT_SOURCETEXT_H
#define PARTOPT_IMPORT_SOURCETEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace partopt {

/// The producer name that partopt writes into its own bytecode.
inline constexpr llvm::StringLiteral kBytecodeProducer = "partopt";

/// The content of the file `path` (`-`: standard input) ready for MLIR 19:
/// gzip is unpacked, location ranges are blanked, booleans are packed. On
/// failure null, and `error` says why: cannot be read, damaged gzip, bytecode
/// of another program, a type that MLIR 19 lacks.
std::unique_ptr<llvm::MemoryBuffer> readSource(llvm::StringRef path,
                                               std::string &error);

/// The same for content that has been read already; `name` is for messages.
std::unique_ptr<llvm::MemoryBuffer>
prepareSource(llvm::StringRef data, llvm::StringRef name, std::string &error);

/// Replaces the ends of location ranges, ` to :31` in `"f.py":8:23 to :31` and
/// ` to 12:20` in `"f.py":9:2 to 12:20`, by blanks. Everything else, and so
/// every line and column, stays.
std::string blankLocationRanges(llvm::StringRef text);

/// Packs the booleans of `dense<"0x0100…"> : tensor<…xi1>`, which newer MLIR
/// writes one per byte, into bits, as MLIR 19 reads them. Blanks keep every
/// line and column behind them.
void packBools(std::string &text);

} // namespace partopt

#endif // PARTOPT_IMPORT_SOURCETEXT_H
