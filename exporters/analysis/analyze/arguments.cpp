#include "exporters/analysis/analyze/arguments.hpp"

#include <algorithm>
#include <charconv>

namespace prof::analyze {

namespace {

std::string names_of(std::span<const Argument> allowed) {
  std::string result;
  for (const Argument& each : allowed)
    result += (result.empty() ? "" : ", ") + std::string(each.name) + "=";
  return result;
}

// Parses NAME=NUMBER.
base::Status parse_argument(std::string_view word, std::span<const Argument> allowed,
                            Arguments& result) {
  const std::string_view name = word.substr(0, word.find('='));
  const auto known = std::find_if(allowed.begin(), allowed.end(),
                                  [&](const Argument& each) { return name == each.name; });
  if (known == allowed.end())
    return base::fail("unknown argument " + std::string(name) + " (allowed: " + names_of(allowed) +
                      ")");
  const std::string_view digits = word.substr(std::min(name.size() + 1, word.size()));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (!is_number || number < known->least || number > known->most)
    return base::fail("argument " + std::string(word) + ": " + known->name +
                      "= takes a whole number from " + std::to_string(known->least) + " to " +
                      std::to_string(known->most));
  result.*(known->value) = number;
  return {};
}

}  // namespace

base::Result<Arguments> parse_arguments(std::string_view words, std::span<const Argument> allowed) {
  Arguments result;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(':'));
    if (base::Status parsed = parse_argument(word, allowed, result); !parsed)
      return tl::make_unexpected(parsed.error());
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return result;
}

}  // namespace prof::analyze
