#include "collector/ingest/compiled/python_text.hpp"

#include <algorithm>
#include <charconv>

namespace prof::ingest {

namespace {

constexpr std::string_view kSpaces = " \t\r";

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Follows brackets and quotes from left to right.
class Nesting {
 public:
  void read(char c) {
    if (quote_ != 0) {
      if (is_escaped_)
        is_escaped_ = false;
      else if (c == '\\')
        is_escaped_ = true;
      else if (c == quote_)
        quote_ = 0;
    } else if (c == '\'' || c == '"') {
      quote_ = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth_;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth_;
    }
  }
  bool is_outside() const { return depth_ == 0 && quote_ == 0; }
  bool is_broken() const { return depth_ < 0; }

 private:
  int depth_ = 0;
  char quote_ = 0;
  bool is_escaped_ = false;
};

// Returns where the function's name ends, or 0 if there is none.
std::size_t end_of_function(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_word_letter(text[end]) || text[end] == '.')) ++end;
  return end;
}

// Splits "name=value". Returns an empty name for another argument.
std::pair<std::string_view, std::string_view> split_keyword(std::string_view argument) {
  const std::size_t end = argument.find('=');
  if (end == std::string_view::npos || !is_identifier(argument.substr(0, end)))
    return {{}, argument};
  return {argument.substr(0, end), argument.substr(end + 1)};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_word_letter) &&
         !(text.front() >= '0' && text.front() <= '9');
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> items;
  Nesting nesting;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' && nesting.is_outside()) {
      if (items.size() == kMaxItems) return {};
      items.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    nesting.read(text[i]);
    if (nesting.is_broken()) return {};
  }
  if (!nesting.is_outside()) return {};
  const std::string_view last = trimmed(text.substr(begin));
  if (!last.empty()) items.push_back(last);
  return items;
}

std::optional<std::string_view> bracketed(std::string_view text) {
  Nesting nesting;
  for (std::size_t i = 0; i < text.size(); ++i) {
    nesting.read(text[i]);
    if (nesting.is_broken() || (i == 0 && nesting.is_outside())) return std::nullopt;
    if (nesting.is_outside()) return text.substr(1, i - 1);
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end || text.empty()) return std::nullopt;
  return number;
}

std::optional<Sizes> parse_sizes(std::string_view tuple) {
  if (!tuple.starts_with('(') && !tuple.starts_with('[')) return std::nullopt;
  const auto inner = bracketed(tuple);
  if (!inner) return std::nullopt;
  Sizes sizes;
  if (trimmed(*inner).empty()) return sizes;
  const std::vector<std::string_view> items = split_list(*inner);
  if (items.empty() || items.size() > kMaxDimensions) return std::nullopt;
  for (const std::string_view item : items) {
    const auto number = parse_number(item);
    if (!number || *number < 0) return std::nullopt;
    sizes.push_back(*number);
  }
  return sizes;
}

std::string_view PythonCall::keyword(std::string_view name) const {
  for (const auto& [each, value] : keywords)
    if (each == name) return value;
  return {};
}

std::optional<PythonCall> parse_call(std::string_view statement) {
  PythonCall call;
  std::string_view text = trimmed(statement);
  const std::size_t equals = text.find(" = ");
  if (equals != std::string_view::npos && is_identifier(text.substr(0, equals))) {
    call.result = text.substr(0, equals);
    text = trimmed(text.substr(equals + 3));
  }
  const std::size_t end = end_of_function(text);
  if (end == 0 || end == text.size() || text[end] != '(') return std::nullopt;
  call.function = text.substr(0, end);
  const auto inner = bracketed(text.substr(end));
  if (!inner) return std::nullopt;
  for (const std::string_view item : split_list(*inner)) {
    const auto keyword = split_keyword(item);
    if (keyword.first.empty())
      call.arguments.push_back(item);
    else
      call.keywords.push_back(keyword);
  }
  return call;
}

}  // namespace prof::ingest
