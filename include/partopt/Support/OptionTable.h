//===- OptionTable.h - Every option of the driver -------------------------===//
//
// One table of the driver's options: the command line, the configuration file,
// --print-config and the help screens all read it, so that they cannot differ.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SUPPORT_OPTIONTABLE_H
#define PARTOPT_SUPPORT_OPTIONTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace partopt {

/// The commands that take an option, as a bit mask.
enum CommandMask : unsigned {
  OnCompile = 1,
  OnRun = 2,
  OnExplain = 4,
  OnBench = 8,
  OnCluster = 16,
  OnSchedule = 32, ///< bench schedule; OnBench is the other benchmarks
  OnReport = 64,
  OnAll = OnCompile | OnRun | OnExplain
};

/// The heading of the help screen that an option stands under, in this order.
enum class OptionGroup { Input, Layout, Plan, Run, Check, Output, Inspect };

enum class OptionKind {
  Flag,          ///< --name
  Value,         ///< --name VALUE or --name=VALUE, the last one counts
  List,          ///< may be given again, every one counts
  OptionalValue, ///< --name or --name=VALUE
};

struct OptionSpec {
  llvm::StringLiteral name;  ///< without dashes
  llvm::StringLiteral value; ///< what stands for the value in help, or ""
  llvm::StringLiteral help;  ///< one line
  unsigned commands;         ///< CommandMask
  OptionGroup group;
  OptionKind kind;
  /// False for an option of the contract that this version cannot honour: it
  /// is an error that says so, never silently ignored.
  bool available = true;
};

/// All options, in the order in which help shows them.
llvm::ArrayRef<OptionSpec> optionTable();

/// The option of that name (without dashes) that one of `commands` takes, else
/// one that others take, or null.
const OptionSpec *findOption(llvm::StringRef name, unsigned commands);

/// nearestWord over the options of `commands`.
std::string nearestOption(llvm::StringRef name, unsigned commands);

/// The heading of a group.
llvm::StringRef groupTitle(OptionGroup group);

} // namespace partopt

#endif // PARTOPT_SUPPORT_OPTIONTABLE_H
