#include "common/report/pages/scan_plan.hpp"

#include <charconv>

namespace prof::report {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes words from the front of a text. A different word stays in the text.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) { skip_blank(); }

  bool at_end() const { return text_.empty(); }

  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    const std::string_view rest = text_.substr(word.size());
    const bool goes_on = is_letter(word.back()) && !rest.empty() &&
                         (is_letter(rest.front()) || is_digit(rest.front()));
    if (goes_on) return false;
    text_ = rest;
    skip_blank();
    return true;
  }

  // Takes a name with or without quotes. Returns an empty text if there is none.
  std::string take_name() {
    std::size_t end = 0;
    std::string name;
    if (text_.starts_with('"')) {
      const std::size_t closing = text_.find('"', 1);
      // Names that contain quotes are not supported.
      if (closing == std::string_view::npos || text_.substr(closing + 1).starts_with('"'))
        return {};
      name = text_.substr(1, closing - 1);
      end = closing + 1;
    } else {
      if (text_.empty() || !is_letter(text_.front())) return {};
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
      name = text_.substr(0, end);
    }
    text_.remove_prefix(end);
    skip_blank();
    return name;
  }

  std::optional<std::int64_t> take_integer() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    skip_blank();
    return value;
  }

 private:
  void skip_blank() {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
  }

  std::string_view text_;
};

bool take_item(Words& words, ScanPlan::Item& item) {
  if (words.take("NULL")) return true;
  if (const auto number = words.take_integer()) {
    item.if_null = number;
    return true;
  }
  const bool has_default = words.take("COALESCE(");
  item.column = words.take_name();
  if (item.column.empty()) return false;
  if (!has_default) return true;
  if (!words.take(",")) return false;
  item.if_null = words.take_integer();
  return item.if_null && words.take(")");
}

bool take_numbers(Words& words, std::vector<std::int64_t>& numbers) {
  do {
    const auto number = words.take_integer();
    if (!number) return false;
    numbers.push_back(*number);
  } while (words.take(","));
  return true;
}

bool take_condition(Words& words, ScanCondition& condition) {
  condition.column = words.take_name();
  if (condition.column.empty()) return false;
  if (words.take("IN"))
    return words.take("(") && take_numbers(words, condition.numbers) && words.take(")");
  condition.is_one_of = !words.take("<>");
  if (condition.is_one_of && !words.take("=")) return false;
  const auto number = words.take_integer();
  if (number) condition.numbers.push_back(*number);
  return number.has_value();
}

}  // namespace

std::optional<ScanPlan> plan_scan(std::string_view columns, std::string_view source) {
  ScanPlan plan;
  Words items(columns);
  do {
    if (!take_item(items, plan.items.emplace_back())) return std::nullopt;
  } while (items.take(","));
  if (!items.at_end()) return std::nullopt;
  Words words(source);
  plan.table = words.take_name();
  if (plan.table.empty()) return std::nullopt;
  if (words.take("WHERE") && !take_condition(words, plan.condition.emplace())) return std::nullopt;
  if (!words.at_end()) return std::nullopt;
  return plan;
}

}  // namespace prof::report
