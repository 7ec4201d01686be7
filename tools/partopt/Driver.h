//===- Driver.h - What the driver's commands share ------------------------===//
//
// Exit codes, messages, and the reproducer of internal errors.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_TOOLS_PARTOPT_DRIVER_H
#define PARTOPT_TOOLS_PARTOPT_DRIVER_H

#include "partopt/Support/OptionSet.h"
#include "partopt/Support/Words.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace partopt::driver {

inline constexpr const char *version = "0.1.0";

/// The contract's exit codes.
enum ExitCode : int {
  Good = 0,
  Differs = 1,    ///< results differ or a check failed
  BadInput = 2,   ///< wrong use or bad input
  DoesNotFit = 3, ///< more memory than a device has
  RankFailed = 4, ///< a rank failed or timed out at run time
  InternalError = 70
};

/// Messages go to stderr, one line each, as "error: …", "warning: …".
class Messages {
public:
  enum class Color { Auto, Always, Never };

  void configure(Color color, bool quietMode, bool verboseMode);
  void error(const llvm::Twine &text);
  void warning(const llvm::Twine &text); ///< silent under --quiet
  void note(const llvm::Twine &text);
  void progress(const llvm::Twine &text); ///< only under --verbose
  bool quiet() const { return isQuiet; }
  bool verbose() const { return isVerbose; }

private:
  void line(llvm::raw_ostream::Colors color, llvm::StringRef kind,
            const llvm::Twine &text);

  bool isQuiet = false, isVerbose = false, colored = false;
};

/// The process's messages.
Messages &messages();

/// Prints the error and returns BadInput.
int fail(llvm::Error error);

/// --- Commands: each takes its options and returns the exit code. ---
int compileCommand(const OptionSet &options);
int runCommand(const OptionSet &options);
int explainCommand(const OptionSet &options);
int reportCommand(const OptionSet &options);
int benchCommand(const OptionSet &options);
int benchSchedule(const OptionSet &options);
int clusterCommand(const OptionSet &options);

/// The overview, and one command's screen.
void printHelp(llvm::raw_ostream &out);
void printCommandHelp(llvm::raw_ostream &out, llvm::StringRef command,
                      unsigned mask);

/// --- Internal errors ---

/// Turns crashes, uncaught exceptions and LLVM's fatal errors into exit 70
/// with a reproducer.
void installCrashHandlers(int argc, char **argv);
/// The model's text, which the reproducer repeats; `text` must stay alive.
void setReproducerModel(llvm::StringRef text);
/// Says what failed, writes the reproducer, names it, returns InternalError.
int internalError(const llvm::Twine &what);

} // namespace partopt::driver

#endif // PARTOPT_TOOLS_PARTOPT_DRIVER_H
