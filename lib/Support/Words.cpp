// See Words.h.

#include "partopt/Support/Words.h"

#include "partopt/Plan/NearestWord.h"
#include "partopt/Support/OptionSet.h"

#include "llvm/ADT/StringExtras.h"

using namespace partopt;
using llvm::StringRef;

static words::Words viewsOf(llvm::ArrayRef<StringRef> words) {
  return words::Words(words.begin(), words.end());
}

std::string partopt::nearestWord(StringRef word,
                                 llvm::ArrayRef<StringRef> words) {
  return words::nearest(word, viewsOf(words));
}

std::string partopt::didYouMean(StringRef word,
                                llvm::ArrayRef<StringRef> words) {
  return words::didYouMean(word, viewsOf(words));
}

std::string partopt::didYouMean(StringRef word, llvm::ArrayRef<StringRef> words,
                                StringRef list) {
  std::string hint = didYouMean(word, words);
  if (hint.empty())
    return ("; " + list).str();
  return hint + " " + llvm::toUpper(list.front()) + list.drop_front().str();
}

std::string partopt::alternatives(llvm::ArrayRef<StringRef> words) {
  return words::alternatives(viewsOf(words));
}

llvm::Error partopt::wrongWord(const llvm::Twine &subject, StringRef word,
                               llvm::ArrayRef<StringRef> words) {
  return userError(subject + " takes " + alternatives(words) + ", not '" +
                   word + "'" + didYouMean(word, words));
}
