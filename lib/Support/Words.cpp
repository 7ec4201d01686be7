// See Words.h.

#include "partopt/Support/Words.h"

#include "partopt/Support/OptionSet.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace partopt;
using llvm::StringRef;

std::string partopt::nearestWord(StringRef word,
                                 llvm::ArrayRef<StringRef> words) {
  std::string lower = word.lower();
  // A third of the word may be mistyped, which is still one letter of three.
  unsigned best = std::max<size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (StringRef known : words) {
    std::string name = known.lower();
    unsigned distance = StringRef(lower).edit_distance(name);
    bool isSwapped =
        lower.size() == name.size() &&
        std::is_permutation(lower.begin(), lower.end(), name.begin());
    bool isBeginning = word.size() >= 3 && StringRef(name).starts_with(lower);
    if (isBeginning || (isSwapped && distance <= 2))
      distance = std::min(distance, 1u);
    if (distance < best) {
      best = distance;
      found = known.str();
    }
  }
  return found;
}

std::string partopt::didYouMean(StringRef word,
                                llvm::ArrayRef<StringRef> words) {
  std::string nearest = nearestWord(word, words);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::string partopt::didYouMean(StringRef word, llvm::ArrayRef<StringRef> words,
                                StringRef list) {
  std::string hint = didYouMean(word, words);
  if (hint.empty())
    return ("; " + list).str();
  return hint + " " + llvm::toUpper(list.front()) + list.drop_front().str();
}

std::string partopt::alternatives(llvm::ArrayRef<StringRef> words) {
  std::string text;
  for (auto [i, word] : llvm::enumerate(words))
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + word.str();
  return text;
}

llvm::Error partopt::wrongWord(const llvm::Twine &subject, StringRef word,
                               llvm::ArrayRef<StringRef> words) {
  return userError(subject + " takes " + alternatives(words) + ", not '" +
                   word + "'" + didYouMean(word, words));
}
