#include "common/base/text/regular_expression.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace prof::base {

namespace {

// Returns why a pattern is refused, or null. The C library expands repetitions, and tries all
// possibilities for a back-reference.
const char* refuse(std::string_view pattern) {
  // Names of C++ kernels may have some thousand bytes.
  constexpr std::size_t kMaxBytes = 10'000;
  constexpr std::size_t kMaxOperators = 1000;
  constexpr std::uint64_t kMaxRepetitions = 1000;
  if (pattern.size() > kMaxBytes) return "it has more than 10000 bytes";
  std::size_t operators = 0;
  std::uint64_t repetitions = 1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] == '\\' && next >= '1' && next <= '9') return "it has a back-reference";
    if (pattern[i] == '\\') {
      ++i;
      continue;
    }
    if (std::string_view(".[(|*+?{").find(pattern[i]) != std::string_view::npos) ++operators;
    if (operators > kMaxOperators) return "it has more than 1000 operators";
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

}  // namespace

Result<RegularExpression> RegularExpression::make(const std::string& pattern) {
  if (const char* why = refuse(pattern)) return fail(why);
  auto compiled = std::make_unique<regex_t>();
  const int status = regcomp(compiled.get(), pattern.c_str(), REG_EXTENDED | REG_ICASE | REG_NOSUB);
  if (status != 0) {
    std::array<char, 200> text{};
    regerror(status, compiled.get(), text.data(), text.size());
    return fail(text.data());
  }
  RegularExpression result;
  result.compiled_.reset(compiled.release());
  return result;
}

}  // namespace prof::base
