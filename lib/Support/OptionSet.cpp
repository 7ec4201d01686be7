//===- OptionSet.cpp - Options as given, each with its origin -------------===//
//
// Reading the command line and merging the configuration file into it, driven
// by the option table.
//
//===----------------------------------------------------------------------===//

#include "partopt/Support/OptionSet.h"

#include "partopt/Support/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cmath>

using namespace partopt;

llvm::Error partopt::userError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string dashed(llvm::StringRef name) {
  return (name.size() == 1 ? "-" : "--") + name.str();
}

void OptionSet::add(const OptionSpec &spec, llvm::StringRef value,
                    const std::string &origin) {
  Entry &entry = entries[spec.name.str()];
  if (spec.kind != OptionKind::List)
    entry.values.clear();
  entry.values.push_back(value.str());
  entry.origin = origin;
}

/// The option that `name` means for `command`, or why there is none.
static llvm::Expected<const OptionSpec *> resolve(llvm::StringRef name,
                                                  unsigned command) {
  const OptionSpec *spec = findOption(name, command);
  if (!spec || !(spec->commands & command)) {
    std::string nearest = nearestOption(name, command);
    std::string hint =
        nearest.empty() ? "" : "; did you mean '" + dashed(nearest) + "'?";
    if (spec)
      return userError("option '" + dashed(name) +
                       "' does not belong to this command" + hint);
    return userError("unknown option '" + dashed(name) + "'" + hint);
  }
  if (!spec->available)
    return userError("option '" + dashed(name) +
                     "' is not available in this version");
  return spec;
}

llvm::Expected<OptionSet>
OptionSet::fromCommandLine(llvm::ArrayRef<const char *> arguments,
                           unsigned command) {
  OptionSet set;
  const std::string origin = "command line";
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef text = arguments[i];
    if (!text.starts_with("-") || text == "-") {
      set.positionals.push_back(text.str());
      continue;
    }
    llvm::StringRef body = text.ltrim('-');
    if (body.starts_with("mlir-") || body.starts_with("debug")) {
      set.forwarded.push_back(text.str());
      continue;
    }
    auto [name, value] = body.split('=');
    bool inlineValue = body.contains('=');
    llvm::Expected<const OptionSpec *> spec = resolve(name, command);
    if (!spec)
      return spec.takeError();
    switch ((*spec)->kind) {
    case OptionKind::Flag:
      if (inlineValue)
        return userError("option '" + dashed(name) + "' takes no value");
      value = "true";
      break;
    case OptionKind::OptionalValue:
      if (!inlineValue)
        value = "true";
      break;
    case OptionKind::Value:
    case OptionKind::List:
      if (!inlineValue) {
        if (i + 1 == arguments.size())
          return userError("option '" + dashed(name) +
                           "' needs a value: " + (*spec)->value);
        value = arguments[++i];
      }
    }
    set.add(**spec, value, origin);
  }
  return set;
}

llvm::Error OptionSet::addConfigFile(llvm::StringRef path, unsigned command) {
  llvm::Expected<std::vector<ConfigValue>> values = readConfigFile(path);
  if (!values)
    return values.takeError();
  for (const ConfigValue &setting : *values) {
    std::string origin = path.str();
    if (setting.line)
      origin += ":" + std::to_string(setting.line);
    const OptionSpec *known = findOption(setting.name, command);
    unsigned mask = known ? known->commands : command;
    llvm::Expected<const OptionSpec *> spec = resolve(setting.name, mask);
    if (!spec)
      return userError(origin + ": " + llvm::toString(spec.takeError()));
    if (setting.name == "config" || setting.name == "print-config")
      return userError(origin + ": '" + setting.name +
                       "' belongs on the command line");
    if (setting.values.size() != 1 && (*spec)->kind != OptionKind::List)
      return userError(origin + ": '" + setting.name + "' takes one value");
    if (!((*spec)->commands & command) || has(setting.name))
      continue;
    bool flag = (*spec)->kind == OptionKind::Flag;
    if (flag && setting.values[0] == "false")
      continue;
    if (flag && setting.values[0] != "true")
      return userError(origin + ": '" + setting.name + "' is true or false");
    Entry entry{setting.values, origin};
    entries.emplace(setting.name, std::move(entry));
  }
  return llvm::Error::success();
}

std::string OptionSet::get(llvm::StringRef name,
                           llvm::StringRef otherwise) const {
  auto found = entries.find(name.str());
  return found == entries.end() ? otherwise.str() : found->second.values.back();
}

llvm::Expected<std::string>
OptionSet::getWord(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> words,
                   llvm::StringRef otherwise) const {
  std::string word = get(name, otherwise);
  if (has(name) && !llvm::is_contained(words, word))
    return wrongWord("option '" + dashed(name) + "'", word, words);
  return word;
}

std::vector<std::string> OptionSet::getAll(llvm::StringRef name) const {
  auto found = entries.find(name.str());
  return found == entries.end() ? std::vector<std::string>()
                                : found->second.values;
}

llvm::Expected<uint64_t> OptionSet::getCount(llvm::StringRef name,
                                             uint64_t otherwise,
                                             uint64_t least) const {
  if (!has(name))
    return otherwise;
  uint64_t value;
  std::string text = get(name);
  if (llvm::StringRef(text).getAsInteger(10, value) || value < least)
    return userError("option '" + dashed(name) +
                     "' takes a whole number of at least " +
                     llvm::Twine(least) + ", not '" + text + "'");
  return value;
}

llvm::Expected<double> OptionSet::getNumber(llvm::StringRef name,
                                            double otherwise) const {
  if (!has(name))
    return otherwise;
  double value;
  std::string text = get(name);
  if (llvm::StringRef(text).getAsDouble(value) || !std::isfinite(value) ||
      value < 0)
    return userError("option '" + dashed(name) +
                     "' takes a number that is not negative, not '" + text +
                     "'");
  return value;
}

std::string OptionSet::describe() const {
  std::string text;
  for (const auto &[name, entry] : entries) {
    if (name == "print-config")
      continue;
    std::string value = llvm::join(entry.values, "', '");
    text += name + " = '" + value + "'   # " + entry.origin + "\n";
  }
  return text;
}
