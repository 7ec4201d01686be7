// See NearestWord.h.

#include "partopt/Plan/NearestWord.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace partopt::words {

static std::string lower(std::string_view word) {
  std::string text(word);
  for (char &c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Letters to insert, drop or replace (Levenshtein), row by row.
static size_t editDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      size_t replaced = diagonal + (from[i] != to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(std::string_view word, const Words &known) {
  std::string given = lower(word);
  // A third of the word may be mistyped, which is still one letter of three.
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;
  std::string found;
  for (std::string_view one : known) {
    std::string name = lower(one);
    size_t distance = editDistance(given, name);
    bool isSwapped =
        given.size() == name.size() &&
        std::is_permutation(given.begin(), given.end(), name.begin());
    bool isBeginning = name.rfind(given, 0) == 0;
    if ((isBeginning && given.size() >= 3) || (isSwapped && distance <= 2))
      distance = std::min<size_t>(distance, 1);
    // Of equals that which begins so: 'of' is 'off', not 'on'.
    if (distance < best ||
        (distance == best && !found.empty() && isBeginning)) {
      best = distance;
      found = one;
    }
  }
  return found;
}

std::string didYouMean(std::string_view word, const Words &known) {
  std::string meant = nearest(word, known);
  return meant.empty() ? "" : "; did you mean '" + meant + "'?";
}

std::string alternatives(const Words &known) {
  std::string text;
  for (size_t i = 0; i < known.size(); ++i) {
    text += i == 0 ? "" : i + 1 == known.size() ? " or " : ", ";
    text += known[i];
  }
  return text;
}

} // namespace partopt::words
