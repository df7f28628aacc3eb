#include "exporters/viewer/answers/name_search.hpp"

#include <regex.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "common/base/letters.hpp"

namespace prof::view {

namespace {

// A regular expression of the C library. Unlike std::regex, its stack does not grow with the text.
class Expression {
 public:
  explicit Expression(const std::string& pattern)
      : status_(regcomp(&compiled_, pattern.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB)) {}
  ~Expression() {
    if (status_ == 0) regfree(&compiled_);
  }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  bool is_valid() const { return status_ == 0; }
  std::string error() const {
    std::array<char, 200> text{};
    regerror(status_, &compiled_, text.data(), text.size());
    return text.data();
  }
  bool matches(const std::string& text) const {
    return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
  int status_;
};

// Returns why a pattern is refused, or null. Some patterns would need memory or time without limit:
// the C library expands repetitions, and tries all possibilities for a back-reference.
const char* refuse(std::string_view pattern) {
  constexpr std::size_t kMaxBytes = 1000;
  constexpr std::uint64_t kMaxRepetitions = 1000;
  if (pattern.size() > kMaxBytes) return "it has more than 1000 bytes";
  std::uint64_t repetitions = 1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '\\' && next >= '1' && next <= '9') return "it has a back-reference";
    if (pattern[i] == '\\') ++i;
    if (pattern[i] != '{') continue;
    std::uint64_t most = 1;
    std::uint64_t number = 0;
    for (++i; i < pattern.size() && pattern[i] != '}'; ++i) {
      const bool is_digit = pattern[i] >= '0' && pattern[i] <= '9';
      number = is_digit ? std::min(kMaxRepetitions + 1, number * 10 + (pattern[i] - '0')) : 0;
      most = std::max(most, number);
    }
    repetitions *= most;
    if (repetitions > kMaxRepetitions) return "its repetitions are more than 1000";
  }
  return nullptr;
}

template <class Matches>
timeline::NameSet select(const timeline::Names& names, const Matches& matches) {
  timeline::NameSet found;
  const auto size = static_cast<std::uint32_t>(names.size());
  for (std::uint32_t number = 0; number < size; ++number)
    if (matches(names.text(number))) found.add(number);
  return found;
}

}  // namespace

Outcome<timeline::NameSet> find_names(const timeline::Names& names, std::string_view query) {
  if (query.size() > 2 && query.front() == '/' && query.back() == '/') {
    const std::string pattern(query.substr(1, query.size() - 2));
    if (const char* reason = refuse(pattern); reason != nullptr)
      return fault(400,
                   std::string("not a regular expression that can be searched for: ") + reason);
    const Expression expression(pattern);
    if (!expression.is_valid())
      return fault(400, "not a regular expression: " + expression.error());
    return select(names,
                  [&](std::string_view text) { return expression.matches(std::string(text)); });
  }
  const std::string part = base::to_lower(query);
  return select(names, [&](std::string_view text) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(),
                       [](char a, char b) { return base::to_lower(a) == b; }) != text.end() ||
           part.empty();
  });
}

}  // namespace prof::view
