// What was meant by a word that is none of a few known ones. Free of LLVM: the
// driver and the run-only tool give the same hints.

#ifndef PARTOPT_PLAN_NEARESTWORD_H
#define PARTOPT_PLAN_NEARESTWORD_H

#include <string>
#include <string_view>
#include <vector>

namespace partopt::words {

using Words = std::vector<std::string_view>;

/// The one of `known` that `word` most likely is, whatever its case: by edit
/// distance, letters that changed places counting as one, or by its beginning;
/// "" where none is near.
std::string nearest(std::string_view word, const Words &known);

/// "; did you mean 'fsdp'?", or "" where none of `known` is near.
std::string didYouMean(std::string_view word, const Words &known);

/// "keep, compute or none".
std::string alternatives(const Words &known);

} // namespace partopt::words

#endif // PARTOPT_PLAN_NEARESTWORD_H
