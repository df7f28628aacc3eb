#include "exporters/analysis/operators/names/argument_list.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace prof::operators {

namespace {

constexpr std::string_view kSeparator = ", ";

// Calls `visit` for each element of "[a, [b, c]]". Returns false for another text.
template <class Visit>
bool for_each_element(std::string_view list, const Visit& visit) {
  if (!list.starts_with('[') || !list.ends_with(']') || list.size() < 2) return false;
  list = list.substr(1, list.size() - 2);
  if (list.empty()) return true;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[') ++depth;
    if (list[i] == ']' && --depth < 0) return false;
    if (depth != 0 || !list.substr(i).starts_with(kSeparator)) continue;
    visit(list.substr(first, i - first));
    first = i + kSeparator.size();
  }
  visit(list.substr(first));
  return depth == 0;
}

Argument argument_of(std::string_view text) {
  const bool is_type =
      !text.empty() && text.front() >= 'a' && text.front() <= 'z' && text != "inf" && text != "nan";
  if (!is_type) return {{}, text};
  const std::size_t end = std::min(text.find(' '), text.size());
  return {text.substr(0, end), text.substr(std::min(end + 1, text.size()))};
}

// Returns the values of a list or of a single text; `parse` returns nothing for a wrong one.
template <class Value, class Parse>
std::optional<std::vector<Value>> parse_each(std::string_view text, const Parse& parse) {
  std::vector<Value> values;
  bool is_right = true;
  const auto add = [&](std::string_view each) {
    const std::optional<Value> value = parse(each);
    is_right = is_right && value;
    if (value) values.push_back(*value);
  };
  if (!text.starts_with('['))
    add(text);
  else if (!for_each_element(text, add))
    return std::nullopt;
  return is_right ? std::optional(values) : std::nullopt;
}

}  // namespace

std::vector<Argument> parse_arguments(std::string_view list) {
  std::vector<Argument> arguments;
  const bool is_list = for_each_element(
      list, [&](std::string_view each) { arguments.push_back(argument_of(each)); });
  return is_list ? arguments : std::vector<Argument>{};
}

std::optional<std::vector<std::int64_t>> parse_integers(std::string_view value) {
  return parse_each<std::int64_t>(value, [](std::string_view text) -> std::optional<std::int64_t> {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end) return {};
    return number;
  });
}

std::optional<std::vector<bool>> parse_flags(std::string_view value) {
  return parse_each<bool>(value, [](std::string_view text) -> std::optional<bool> {
    if (text != "True" && text != "False") return {};
    return text == "True";
  });
}

}  // namespace prof::operators
