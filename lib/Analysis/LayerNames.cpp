// What names say of layers, and repeats in a sequence.

#include "partopt/Analysis/Layers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

using namespace partopt;
using llvm::StringRef;

/// Words of a path: `params['layers'][0]['wq']`, `h.0.attn.weight`,
/// `block_1/w`.
static llvm::SmallVector<StringRef> wordsOf(StringRef name) {
  llvm::SmallVector<StringRef> words;
  while (!name.empty()) {
    size_t end = std::min(name.find_first_of("[]()'\"./ ,"), name.size());
    if (end > 0)
      words.push_back(name.take_front(end));
    name = name.drop_front(std::min(end + 1, name.size()));
  }
  return words;
}

/// Words that say what kind of argument follows, not where it belongs.
static bool isRoot(StringRef word) {
  return llvm::StringSwitch<bool>(word.lower())
      .Cases("params", "param", "parameters", "weights", "model", true)
      .Cases("trainable", "trainable_params", "trainable_variables", true)
      .Cases("state", "variables", true)
      .Default(false);
}

std::string partopt::numberedPart(StringRef name) {
  llvm::SmallVector<StringRef> words = wordsOf(name);
  std::string part;
  for (auto [i, word] : llvm::enumerate(words)) {
    bool isNumbered = llvm::any_of(word, llvm::isDigit);
    // The last word names the parameter itself: `w1` beside `w2`.
    if (i + 1 == words.size())
      return "";
    bool isNumber = llvm::all_of(word, llvm::isDigit);
    if (i > 0 || !isRoot(word) ||
        (i + 1 < words.size() && llvm::all_of(words[i + 1], llvm::isDigit)))
      part += (part.empty() ? "" : ".") + word.str();
    if (isNumbered && (isNumber || !part.empty()))
      return part;
  }
  return "";
}

std::string partopt::firstWord(StringRef name) {
  llvm::SmallVector<StringRef> words = wordsOf(name);
  if (words.size() > 1 && isRoot(words[0]))
    words.erase(words.begin());
  return words.empty() ? "" : words[0].str();
}

/// Distances between neighbouring equal elements, most frequent first: the
/// period of a repeat is among the sums that one element of each copy has to
/// its next, unless every element of a copy comes twice.
static llvm::SmallVector<unsigned> periodsOf(llvm::ArrayRef<unsigned> keys,
                                             unsigned first, unsigned last) {
  constexpr unsigned kBack = 8, kMost = 64;
  std::map<unsigned, unsigned> counts;
  std::map<unsigned, llvm::SmallVector<unsigned>> places;
  for (unsigned i = first; i < last; ++i) {
    llvm::SmallVector<unsigned> &before = places[keys[i]];
    for (unsigned back = 0; back < std::min<size_t>(kBack, before.size());
         ++back)
      ++counts[i - before[before.size() - 1 - back]];
    before.push_back(i);
  }
  llvm::SmallVector<std::pair<unsigned, unsigned>> list(counts.begin(),
                                                        counts.end());
  llvm::sort(list, [](auto &a, auto &b) {
    return std::tuple(b.second, a.first) < std::tuple(a.second, b.first);
  });
  llvm::SmallVector<unsigned> periods;
  for (auto [period, count] : llvm::ArrayRef(list).take_front(kMost))
    periods.push_back(period);
  llvm::sort(periods);
  return periods;
}

static bool isWorse(const Repeat &a, const Repeat &b) {
  return std::tuple(a.period * a.copies, b.period, b.begin) <
         std::tuple(b.period * b.copies, a.period, a.begin);
}

std::optional<Repeat>
partopt::findRepeat(llvm::ArrayRef<unsigned> keys, unsigned first,
                    unsigned last,
                    llvm::function_ref<unsigned(const Repeat &)> chained) {
  std::vector<Repeat> heap; // the best one on top
  for (unsigned period : periodsOf(keys, first, last))
    for (unsigned i = first; i + period < last;) {
      unsigned end = i;
      while (end + period < last && keys[end] == keys[end + period])
        ++end;
      if (end - i >= period)
        heap.push_back({i, period, (end - i) / period + 1, (end - i) % period});
      i = end + 1;
    }
  std::make_heap(heap.begin(), heap.end(), isWorse);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), isWorse);
    Repeat best = heap.back();
    heap.pop_back();
    unsigned copies = chained(best);
    if (copies == best.copies)
      return best;
    if (copies < 2)
      continue;
    best.copies = copies;
    best.slack = 0;
    heap.push_back(best);
    std::push_heap(heap.begin(), heap.end(), isWorse);
  }
  return std::nullopt;
}
