//===- main.cpp - The driver ----------------------------------------------===//
//
// Picks the command, reads its options, and lets it run. Everything that a
// user can get wrong ends here as one message and an exit code.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"

using namespace partopt;
using namespace partopt::driver;

namespace {
struct Command {
  llvm::StringLiteral name;
  unsigned mask;
  int (*run)(const OptionSet &);
};
} // namespace

static constexpr Command commands[] = {
    {"compile", OnCompile, compileCommand},
    {"run", OnRun, runCommand},
    {"explain", OnExplain, explainCommand},
    {"report", OnReport, reportCommand},
    {"bench", OnBench, benchCommand},
    {"bench schedule", OnSchedule, benchSchedule},
    {"cluster", OnCluster, clusterCommand}};

/// Commands of the contract that this version does not have.
static constexpr llvm::StringRef laterCommands[] = {"advise", "preflight",
                                                    "checkpoint"};

static int unknownCommand(llvm::StringRef name) {
  for (llvm::StringRef later : laterCommands)
    if (later == name)
      return fail(
          userError("command '" + name + "' is not available in this version"));
  llvm::SmallVector<llvm::StringRef> names;
  for (const Command &command : commands)
    names.push_back(command.name);
  std::string meant = didYouMean(name, names);
  return fail(userError("unknown command '" + name + "'" +
                        (meant.empty() ? "; see partopt --help" : meant)));
}

/// Hands MLIR's own flags to its own parser.
static llvm::Error forwardToMlir(const std::vector<std::string> &flags) {
  std::vector<const char *> arguments = {"partopt"};
  for (const std::string &flag : flags)
    arguments.push_back(flag.c_str());
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  std::string problems;
  llvm::raw_string_ostream text(problems);
  if (llvm::cl::ParseCommandLineOptions(int(arguments.size()), arguments.data(),
                                        "", &text))
    return llvm::Error::success();
  llvm::StringRef first = llvm::StringRef(problems).split('\n').first;
  first.consume_front("partopt: ");
  return userError(first.split("  Try:").first);
}

static llvm::Error configureMessages(const OptionSet &options) {
  llvm::Expected<std::string> word =
      options.getWord("color", {"auto", "always", "never"}, "auto");
  if (!word)
    return word.takeError();
  const std::string &color = *word;
  if (options.has("quiet") && options.has("verbose"))
    return userError("options '--quiet' and '--verbose' exclude each other");
  messages().configure(color == "always"  ? Messages::Color::Always
                       : color == "never" ? Messages::Color::Never
                                          : Messages::Color::Auto,
                       options.has("quiet"), options.has("verbose"));
  return llvm::Error::success();
}

/// Every command takes one thing to work on; a list needs none.
static llvm::Error checkPositionals(const Command &command,
                                    const OptionSet &options) {
  const std::vector<std::string> &given = options.positionals;
  if (command.mask == OnSchedule && !given.empty())
    return userError("'" + given[0] + "' is no option; see partopt " +
                     command.name + " --help");
  if (given.size() ==
      (options.has("list") || command.mask == OnSchedule ? 0 : 1))
    return llvm::Error::success();
  llvm::StringRef what = command.mask == OnBench     ? "benchmark"
                         : command.mask == OnCluster ? "cluster"
                         : command.mask == OnReport  ? "plan"
                                                     : "model";
  if (given.empty())
    return userError("no " + what + " given; see partopt " + command.name +
                     " --help");
  if (given.size() == 1)
    return userError("option '--list' stands alone, without '" + given[0] +
                     "'");
  return userError("one " + what + " at a time, not '" + given[0] + "' and '" +
                   given[1] + "'");
}

static int runCommandLine(const Command &command,
                          llvm::ArrayRef<const char *> arguments) {
  for (llvm::StringRef argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      printCommandHelp(llvm::outs(), command.name, command.mask);
      return Good;
    }
    if (argument == "--help-hidden") {
      printCommandHelp(llvm::outs(), command.name, command.mask);
      llvm::outs().flush();
      if (llvm::Error error = forwardToMlir({"--help-hidden"}))
        return fail(std::move(error));
      return Good;
    }
  }
  auto options = OptionSet::fromCommandLine(arguments, command.mask);
  if (!options)
    return fail(options.takeError());
  if (options->has("config"))
    if (llvm::Error error =
            options->addConfigFile(options->get("config"), command.mask))
      return fail(std::move(error));
  if (llvm::Error error = configureMessages(*options))
    return fail(std::move(error));
  if (llvm::Error error = checkPositionals(command, *options))
    return fail(std::move(error));
  if (llvm::Error error = forwardToMlir(options->forwarded))
    return fail(std::move(error));
  return command.run(*options);
}

/// `code`, unless standard output could not take all that was printed.
static int finishOutput(int code) {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  if (!error || code != Good)
    return code;
  return fail(userError("cannot write standard output: " + error.message()));
}

static int helpOn(llvm::StringRef name) {
  for (const Command &command : commands)
    if (command.name == name) {
      printCommandHelp(llvm::outs(), command.name, command.mask);
      return Good;
    }
  return unknownCommand(name);
}

static int dispatch(int argc, char **argv) {
  llvm::StringRef name = argc > 1 ? argv[1] : "--help";
  if (name == "--version") {
    llvm::outs() << "partopt " << version << "\n";
    return Good;
  }
  if (name == "help" && argc > 2) // a command may have two words
    return helpOn(
        llvm::join(llvm::ArrayRef<const char *>(argv + 2, argv + argc), " "));
  if (name == "--help" || name == "-h" || name == "help") {
    printHelp(llvm::outs());
    return argc > 1 ? Good : BadInput;
  }
  llvm::ArrayRef<const char *> arguments(argv + std::min(argc, 2), argv + argc);
  // One benchmark has options of its own.
  if (name == "bench" && !arguments.empty() &&
      llvm::StringRef(arguments[0]) == "schedule") {
    name = "bench schedule";
    arguments = arguments.drop_front();
  }
  for (const Command &command : commands)
    if (command.name == name)
      return runCommandLine(command, arguments);
  if (name.starts_with("-"))
    return fail(userError("the command comes first, not '" + name +
                          "'; see partopt --help"));
  return unknownCommand(name);
}

int main(int argc, char **argv) {
  // A file that is opened must not become standard output or error.
  if (llvm::sys::Process::FixupStandardFileDescriptors())
    return BadInput;
  installCrashHandlers(argc, argv);
  return finishOutput(dispatch(argc, argv));
}
