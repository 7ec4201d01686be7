//===- Reproducer.cpp - Internal errors end with a file that shows them ---===//
//
// Everything a crash handler needs (path, header, model text) is made before
// anything can crash; the handler itself only opens, writes and leaves. The
// file is the model's text behind comment lines with the command, so it can be
// given to the driver as it is.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

using namespace partopt::driver;

namespace {
struct Reproducer {
  std::string path;
  std::string header;
  llvm::StringRef model;
};
} // namespace

static Reproducer reproducer;

static void writeAll(int file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t done = write(file, data, size);
    if (done <= 0)
      return;
    data += done;
    size -= size_t(done);
  }
}

static void writeText(int file, const char *text) {
  writeAll(file, text, strlen(text));
}

/// Async-signal-safe. Returns whether the file could be written.
static bool writeReproducer() {
  int file = open(reproducer.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0)
    return false;
  writeAll(file, reproducer.header.data(), reproducer.header.size());
  writeAll(file, reproducer.model.data(), reproducer.model.size());
  close(file);
  return true;
}

/// Async-signal-safe.
static void sayWhereItIs() {
  if (!writeReproducer()) {
    writeText(2, "note: the reproducer could not be written to ");
    writeText(2, reproducer.path.c_str());
    writeText(2, "\n");
    return;
  }
  writeText(2, "note: reproducer written to ");
  writeText(2, reproducer.path.c_str());
  writeText(2, "; its first lines hold the command\n");
}

static void crashed(int signal) {
  const char *name = signal == SIGABRT  ? "aborted"
                     : signal == SIGFPE ? "arithmetic fault"
                     : signal == SIGILL ? "illegal instruction"
                                        : "invalid memory access";
  writeText(2, "error: internal error: ");
  writeText(2, name);
  writeText(2, "\n");
  sayWhereItIs();
  _exit(InternalError);
}

static void fatalError(void *, const char *reason, bool) {
  writeText(2, "error: internal error: ");
  writeText(2, reason);
  writeText(2, "\n");
  sayWhereItIs();
  _exit(InternalError);
}

void partopt::driver::installCrashHandlers(int argc, char **argv) {
  const char *folder = getenv("PARTOPT_REPRODUCER_DIR");
  reproducer.path = (folder ? std::string(folder) + "/" : std::string()) +
                    "partopt-reproducer-" + std::to_string(getpid()) + ".mlir";
  reproducer.header = std::string("// partopt ") + version + "\n// command:";
  for (int i = 0; i < argc; ++i)
    reproducer.header += std::string(" ") + (i == 0 ? "partopt" : argv[i]);
  reproducer.header += "\n";

  // Its own stack, so that a stack overflow can be reported too.
  static char stack[64 * 1024];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = crashed;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
  llvm::install_fatal_error_handler(fatalError);
}

void partopt::driver::setReproducerModel(llvm::StringRef text) {
  reproducer.model = text;
}

int partopt::driver::internalError(const llvm::Twine &what) {
  messages().error("internal error: " + what);
  sayWhereItIs();
  return InternalError;
}
