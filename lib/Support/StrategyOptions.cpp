//===- StrategyOptions.cpp - The words of --strategy, and --axis ----------===//
//
// Which words there are, what each shards, which mix, and which axis each
// takes.
//
//===----------------------------------------------------------------------===//

#include "StrategyOptions.h"

#include "partopt/Support/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace partopt;

/// What each word of --strategy shards; nothing where this version has it not.
struct StrategyWord {
  llvm::StringRef name;
  std::optional<DataParallelOptions> data;
  bool tensor = false;
  bool sequence = false;
  bool expert = false;
  bool context = false;
  bool pipeline = false;

  bool isAvailable() const {
    return data || tensor || sequence || expert || context || pipeline;
  }
};
static const StrategyWord strategyWords[] = {
    {"ddp", DataParallelOptions{0, false}},
    {"zero1", DataParallelOptions{1, false}},
    {"zero2", DataParallelOptions{2, false}},
    {"zero3", DataParallelOptions{3, false}},
    {"fsdp", DataParallelOptions{3, false}},
    {"hsdp", DataParallelOptions{3, true}},
    {"tp", std::nullopt, true},
    {"sp", std::nullopt, false, true},
    {"cp", std::nullopt, false, false, false, true},
    {"ep", std::nullopt, false, false, true},
    {"pp", std::nullopt, false, false, false, false, true},
    {"auto", std::nullopt}};
static constexpr llvm::StringLiteral availableStrategies =
    "none (the annotations in the file), ddp, zero1, zero2, zero3, fsdp, "
    "hsdp, tp, tp+sp, ep, cp, pp and mixtures of the former with these";

bool partopt::isAxisName(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static const StrategyWord *findStrategyWord(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      strategyWords, [&](const auto &word) { return word.name == name; });
  return found == std::end(strategyWords) ? nullptr : found;
}

/// The word of --strategy for what others call so, or "".
static llvm::StringRef knownAs(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases("dp", "data", "data-parallel", "ddp")
      .Cases("zero", "zero-3", "fsdp2", "fsdp")
      .Cases("tensor", "megatron", "mp", "tp")
      .Cases("sequence", "tp-sp", "tp+sp")
      .Cases("expert", "experts", "moe", "ep")
      .Cases("context", "ulysses", "ring", "cp")
      .Case("pipeline", "pp")
      .Default(findStrategyWord(name) ? name : "");
}

/// "fsdp,tp", "Tensor": the words that were meant, or "".
static std::string meantWords(llvm::StringRef text) {
  std::string lower = text.lower(), meant;
  llvm::SmallVector<llvm::StringRef> parts;
  if (!knownAs(lower).empty())
    return knownAs(lower).str();
  llvm::SplitString(lower, parts, " ,;/|&-_");
  for (llvm::StringRef part : parts) {
    llvm::StringRef word = knownAs(part);
    if (word.empty())
      return "";
    meant += (meant.empty() ? "" : "+") + word.str();
  }
  return meant;
}

static std::string listOfStrategies() {
  return ("this version has " + availableStrategies).str();
}

static llvm::Error unknownStrategy(llvm::StringRef word) {
  if (std::string meant = meantWords(word); !meant.empty())
    return userError("unknown strategy '" + word + "'" +
                     didYouMean(meant, {meant}, listOfStrategies()));
  std::vector<llvm::StringRef> names = {"none"};
  for (const StrategyWord &known : strategyWords)
    names.push_back(known.name);
  return userError("unknown strategy '" + word + "'" +
                   didYouMean(word, names, listOfStrategies()));
}

static llvm::Error parseWords(CompileOptions &options) {
  if (options.strategy.name == "none")
    return llvm::Error::success();
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(options.strategy.name).split(parts, '+');
  if (llvm::is_contained(parts, ""))
    return userError("option '--strategy' takes words with + between them, not "
                     "'" +
                     options.strategy.name + "'");
  for (llvm::StringRef part : parts)
    if (part == "none" || !findStrategyWord(part))
      return part == "none" ? userError("strategy 'none' (the annotations in "
                                        "the file) does not mix with others")
                            : unknownStrategy(part);
  for (llvm::StringRef part : parts) {
    const StrategyWord *word = findStrategyWord(part);
    if (!word->isAvailable())
      return userError("strategy '" + options.strategy.name +
                       "' is not available in this version; it has " +
                       availableStrategies);
    if ((word->data && options.strategy.data) ||
        (word->tensor && options.strategy.tensor) ||
        (word->expert && options.strategy.expert) ||
        (word->context && options.strategy.context) ||
        (word->pipeline && options.strategy.pipeline))
      return userError(
          "strategy '" + options.strategy.name + "' says twice what the " +
          (word->data      ? "data"
           : word->tensor  ? "model"
           : word->expert  ? "expert"
           : word->context ? "context"
                           : "pipe") +
          " axis shards; leave out '" + part + "' or the other word");
    if (word->data)
      options.strategy.data = word->data;
    options.strategy.tensor |= word->tensor;
    options.strategy.sequence |= word->sequence;
    options.strategy.expert |= word->expert;
    options.strategy.context |= word->context;
    options.strategy.pipeline |= word->pipeline;
  }
  if (options.strategy.sequence && !options.strategy.tensor)
    return userError("strategy '" + options.strategy.name +
                     "': sp splits the sequence where tp leaves sums; write "
                     "tp+sp");
  if (options.strategy.sequence && options.strategy.context)
    return userError("strategy '" + options.strategy.name +
                     "': sp and cp both split the sequence; leave out sp, cp "
                     "splits it between the products too");
  return llvm::Error::success();
}

/// "; did you mean 'tp'?" where the axis has a word that is nearly one.
static std::string meantPurpose(llvm::StringRef purpose) {
  llvm::SmallVector<llvm::StringRef> words = {"data",    "replica", "model",
                                              "context", "expert",  "pipe"};
  if (llvm::is_contained(words, purpose))
    return ""; // the axis's name is wrong
  for (const StrategyWord &word : strategyWords)
    if (word.isAvailable() && !word.sequence)
      words.push_back(word.name);
  return didYouMean(purpose, words);
}

static llvm::Error parseAxes(const OptionSet &set, CompileOptions &options) {
  for (const std::string &text : set.getAll("axis")) {
    auto [purpose, axis] = llvm::StringRef(text).split('=');
    // The strategy's short names stand for what they shard.
    if (purpose == "ddp" || purpose == "dp" || purpose == "fsdp" ||
        purpose.starts_with("zero"))
      purpose = "data";
    else if (purpose == "hsdp")
      purpose = "replica";
    else if (purpose == "tp")
      purpose = "model";
    else if (purpose == "ep")
      purpose = "expert";
    else if (purpose == "cp" || purpose == "seq")
      purpose = "context";
    else if (purpose == "pp")
      purpose = "pipe";
    if (!options.axes.count(purpose.str()) || !isAxisName(axis))
      return userError("option '--axis' takes data=AXIS, replica=AXIS, "
                       "tp=AXIS, ep=AXIS, cp=AXIS or pp=AXIS, not '" +
                       llvm::Twine(text) + "'" + meantPurpose(purpose));
    options.axes[purpose.str()] = axis.str();
  }
  return llvm::Error::success();
}

/// What a strategy puts on one axis cannot be on another one's too.
static llvm::Error checkAxes(const CompileOptions &options) {
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> used;
  auto use = [&](bool isUsed, llvm::StringRef purpose, llvm::StringRef flag) {
    if (isUsed)
      used.push_back({options.axes.at(purpose.str()), flag});
  };
  use(options.strategy.data.has_value(), "data", "data");
  use(options.strategy.data && options.strategy.data->hasReplicas, "replica",
      "replica");
  use(options.strategy.tensor, "model", "tp");
  use(options.strategy.context, "context", "cp");
  use(options.strategy.pipeline, "pipe", "pp");
  // Experts may lie on the devices of the batch, whose rows they exchange.
  use(options.strategy.expert &&
          options.axes.at("expert") != options.axes.at("data"),
      "expert", "ep");
  for (size_t i = 0; i < used.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (used[i].first == used[j].first)
        return userError("strategy '" + options.strategy.name +
                         "' needs an axis each for " + used[j].second +
                         " and " + used[i].second + ", and both are '" +
                         used[i].first + "'; name another with --axis " +
                         used[i].second + "=NAME");
  return llvm::Error::success();
}

llvm::Error partopt::parseStrategy(const OptionSet &set,
                                   CompileOptions &options) {
  if (llvm::Error error = parseWords(options))
    return error;
  if (llvm::Error error = parseAxes(set, options))
    return error;
  return checkAxes(options);
}
