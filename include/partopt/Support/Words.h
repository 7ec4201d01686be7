// Values that are one of a few words: what was meant, and what there is, with
// LLVM's strings (Plan/NearestWord.h has the rules).

#ifndef PARTOPT_SUPPORT_WORDS_H
#define PARTOPT_SUPPORT_WORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace partopt {

/// words::nearest.
std::string nearestWord(llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> words);

/// "; did you mean 'fsdp'?", or "" where none of `words` is near.
std::string didYouMean(llvm::StringRef word,
                       llvm::ArrayRef<llvm::StringRef> words);

/// "; did you mean 'fsdp'? There are …" or "; there are …", for a `list` that
/// begins with a small letter.
std::string didYouMean(llvm::StringRef word,
                       llvm::ArrayRef<llvm::StringRef> words,
                       llvm::StringRef list);

/// "keep, compute or none".
std::string alternatives(llvm::ArrayRef<llvm::StringRef> words);

/// "SUBJECT takes keep or compute, not 'kep'; did you mean 'keep'?"
llvm::Error wrongWord(const llvm::Twine &subject, llvm::StringRef word,
                      llvm::ArrayRef<llvm::StringRef> words);

} // namespace partopt

#endif // PARTOPT_SUPPORT_WORDS_H
