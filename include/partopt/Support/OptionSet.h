//===- OptionSet.h - Options as given, each with its origin ---------------===//
//
// The command line wins over the configuration file, which wins over the
// defaults; every value remembers where it came from.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_SUPPORT_OPTIONSET_H
#define PARTOPT_SUPPORT_OPTIONSET_H

#include "partopt/Support/OptionTable.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace partopt {

/// An error whose text is the whole message to the user.
llvm::Error userError(const llvm::Twine &message);

class OptionSet {
public:
  struct Entry {
    std::vector<std::string> values; ///< one, except for lists
    std::string origin;              ///< "command line", "file.toml:3"
  };

  /// Reads the arguments after the command's name. What is no option becomes a
  /// positional; `--mlir-…` and `--debug…` go to `forwarded` for MLIR's own
  /// parser. Errors: an unknown option (with the nearest one), one of another
  /// command, a missing or superfluous value, one that is not available.
  static llvm::Expected<OptionSet>
  fromCommandLine(llvm::ArrayRef<const char *> arguments, unsigned command);

  /// Adds what a configuration file says where the command line is silent.
  /// TOML unless the name ends in .json. A file may hold options of commands
  /// other than `command`, which are ignored. Errors name file and line.
  llvm::Error addConfigFile(llvm::StringRef path, unsigned command);

  bool has(llvm::StringRef name) const { return entries.count(name.str()); }
  /// The value, or `otherwise` when the option was not given.
  std::string get(llvm::StringRef name, llvm::StringRef otherwise = "") const;
  /// One of `words`, or `otherwise` when the option was not given; an error
  /// lists them and says what was meant.
  llvm::Expected<std::string> getWord(llvm::StringRef name,
                                      llvm::ArrayRef<llvm::StringRef> words,
                                      llvm::StringRef otherwise) const;
  /// Every value of a list option.
  std::vector<std::string> getAll(llvm::StringRef name) const;
  /// A whole number of at least `least`; an error names the option.
  llvm::Expected<uint64_t> getCount(llvm::StringRef name, uint64_t otherwise,
                                    uint64_t least) const;
  /// A finite number that is not negative.
  llvm::Expected<double> getNumber(llvm::StringRef name,
                                   double otherwise) const;

  /// "name = value   # origin", one line per option given, sorted by name.
  std::string describe() const;

  std::vector<std::string> positionals;
  std::vector<std::string> forwarded;

private:
  void add(const OptionSpec &spec, llvm::StringRef value,
           const std::string &origin);

  std::map<std::string, Entry> entries;
};

/// One setting of a configuration file. Numbers and truth values are text.
struct ConfigValue {
  std::string name;
  std::vector<std::string> values;
  unsigned line; ///< 0 where the format's library does not tell (JSON)
};

/// Reads TOML or (by the name's ending) JSON: a flat table of options.
llvm::Expected<std::vector<ConfigValue>> readConfigFile(llvm::StringRef path);

} // namespace partopt

#endif // PARTOPT_SUPPORT_OPTIONSET_H
