//===- Messages.cpp - The driver's messages -------------------------------===//
//
// One line per message on stderr; colour only where a terminal reads it or the
// user asked for it.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "llvm/Support/Process.h"

using namespace partopt::driver;

Messages &partopt::driver::messages() {
  static Messages instance;
  return instance;
}

void Messages::configure(Color color, bool quietMode, bool verboseMode) {
  isQuiet = quietMode;
  isVerbose = verboseMode;
  colored =
      color == Color::Always ||
      (color == Color::Auto && llvm::sys::Process::StandardErrHasColors());
}

void Messages::line(llvm::raw_ostream::Colors color, llvm::StringRef kind,
                    const llvm::Twine &text) {
  llvm::raw_fd_ostream out(2, /*shouldClose=*/false, /*unbuffered=*/false);
  if (colored) {
    out.enable_colors(true);
    out.changeColor(color, /*Bold=*/true);
  }
  out << kind << ": ";
  if (colored)
    out.resetColor();
  out << text << "\n";
  out.flush();
  out.clear_error(); // there is nobody left to tell
}

void Messages::error(const llvm::Twine &text) {
  line(llvm::raw_ostream::RED, "error", text);
}

void Messages::warning(const llvm::Twine &text) {
  if (!isQuiet)
    line(llvm::raw_ostream::MAGENTA, "warning", text);
}

void Messages::note(const llvm::Twine &text) {
  line(llvm::raw_ostream::CYAN, "note", text);
}

void Messages::progress(const llvm::Twine &text) {
  if (isVerbose)
    line(llvm::raw_ostream::GREEN, "partopt", text);
}

int partopt::driver::fail(llvm::Error error) {
  messages().error(llvm::toString(std::move(error)));
  return BadInput;
}
