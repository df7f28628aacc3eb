#include "common/base/text/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace prof::base {

namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = 2 * (std::max<std::size_t>(2, word.size() / 3) + 1);
  for (const std::string& candidate : known) {
    // The distance is doubled, so that of two equally near words the one with the same first letter
    // wins.
    std::size_t distance = 2 * edit_distance(word, candidate);
    if (candidate.starts_with(word)) distance = std::min<std::size_t>(distance, 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? "" : "; did you mean " + best + "?";
}

}  // namespace prof::base
