// See StageList.h.

#include "StageList.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

using namespace partopt;
using llvm::StringRef;

namespace {

constexpr size_t kLongest = 1 << 16;

llvm::Error errorOf(StringRef text, const llvm::Twine &what) {
  return userError("--stages '" + text + "': " + what);
}

/// Writes out the repetitions of a layout: letters, `|`, `(...)*N`, `t*N`.
class LayoutReader {
public:
  explicit LayoutReader(StringRef text) : rest(text) {}

  /// Empty, or what is wrong.
  std::string read(std::string &out) {
    std::string wrong = sequence(out);
    if (wrong.empty() && !rest.empty())
      return "')' without '('";
    return wrong;
  }

private:
  StringRef rest;

  std::string sequence(std::string &out) {
    while (!rest.empty() && rest.front() != ')') {
      std::string part;
      if (std::string wrong = item(part); !wrong.empty())
        return wrong;
      uint64_t times = 1;
      if (rest.consume_front("*") &&
          (rest.consumeInteger(10, times) || times < 1))
        return "'*' needs a number of times, at least 1";
      if (out.size() + part.size() * times > kLongest || times > kLongest)
        return "it is longer than " + std::to_string(kLongest) +
               " layers and stages";
      for (uint64_t i = 0; i < times; ++i)
        out += part;
    }
    return "";
  }

  std::string item(std::string &part) {
    char letter = rest.front();
    rest = rest.drop_front();
    if (letter == '(') {
      std::string wrong = sequence(part);
      if (wrong.empty() && !rest.consume_front(")"))
        return "'(' without ')'";
      return wrong;
    }
    if (!StringRef("EtL|").contains(letter))
      return std::string("'") + letter +
             "' is none of E (what is in front of the layers), t (a layer), L "
             "(what is behind them), '|', '(...)*N' and 't*N'";
    part = letter;
    return "";
  }
};

/// Only the ends of the chain have something beside layers.
llvm::Error checkCounts(StringRef text, const std::vector<int64_t> &counts) {
  if (counts.size() < 2)
    return errorOf(text, "one stage is no pipeline");
  for (size_t i = 1; i + 1 < counts.size(); ++i)
    if (counts[i] == 0)
      return errorOf(text, "stage " + llvm::Twine(i) +
                               " has no layer; only the first and the last "
                               "stage may have none");
  return llvm::Error::success();
}

llvm::Error parseLayout(StringRef text, std::vector<int64_t> &counts) {
  std::string layout;
  if (std::string wrong =
          LayoutReader(text.drop_front(strlen("layout:"))).read(layout);
      !wrong.empty())
    return errorOf(text, wrong);
  if (StringRef(layout).find_last_of('E') != StringRef::npos &&
      StringRef(layout).find_last_of('E') != 0)
    return errorOf(text, "E, what is in front of the layers, comes first and "
                         "once");
  if (size_t behind = StringRef(layout).find('L');
      behind != StringRef::npos && behind + 1 != layout.size())
    return errorOf(text, "L, what is behind the layers, comes last and once");
  llvm::SmallVector<StringRef> stages;
  StringRef(layout).split(stages, '|');
  for (auto [i, stage] : llvm::enumerate(stages)) {
    if (stage.empty())
      return errorOf(text, "stage " + llvm::Twine(i) + " has nothing");
    counts.push_back(int64_t(stage.count('t')));
  }
  return checkCounts(text, counts);
}

llvm::Error parseCounts(StringRef text, std::vector<int64_t> &counts) {
  llvm::SmallVector<StringRef> words;
  text.split(words, ',');
  for (StringRef word : words) {
    uint64_t count = 0;
    if (word.trim().getAsInteger(10, count) || count > kLongest)
      return errorOf(text, "expected a number of stages, the layers of each "
                           "as in '3,3,2', 'layout:Ett|tttL', or "
                           "'at:REGEX,REGEX'");
    counts.push_back(int64_t(count));
  }
  return checkCounts(text, counts);
}

/// Commas within brackets are the expression's.
llvm::Error parseBegins(StringRef text, std::vector<std::string> &begins) {
  int depth = 0;
  begins.emplace_back();
  for (char letter : text.drop_front(strlen("at:"))) {
    depth += StringRef("([{").contains(letter);
    depth -= StringRef(")]}").contains(letter);
    if (letter == ',' && depth <= 0)
      begins.emplace_back();
    else
      begins.back() += letter;
  }
  for (const std::string &begin : begins) {
    std::string why;
    if (begin.empty())
      return errorOf(text, "an expression is empty");
    if (!llvm::Regex(begin).isValid(why))
      return errorOf(text,
                     "'" + begin + "' is not a regular expression: " + why);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error partopt::parseStageList(StringRef text, PipelineOptions &pipeline) {
  pipeline.stageList = text.str();
  llvm::Error wrong =
      text.starts_with("at:")       ? parseBegins(text, pipeline.stageBegins)
      : text.starts_with("layout:") ? parseLayout(text, pipeline.stageLayers)
                                    : parseCounts(text, pipeline.stageLayers);
  if (wrong)
    return wrong;
  pipeline.stages = pipeline.stageBegins.empty()
                        ? int64_t(pipeline.stageLayers.size())
                        : int64_t(pipeline.stageBegins.size()) + 1;
  return llvm::Error::success();
}
