#include "exporters/analysis/claims/answer_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "common/base/letters.hpp"

namespace prof::claims {

namespace {

struct WrittenUnit {
  std::string_view name;
  double factor;
  Measure measure;
};
// Longer names come before those that they begin with.
constexpr WrittenUnit kUnits[] = {{"nanoseconds", 1, Measure::kTime},
                                  {"microseconds", 1e3, Measure::kTime},
                                  {"milliseconds", 1e6, Measure::kTime},
                                  {"seconds", 1e9, Measure::kTime},
                                  {"second", 1e9, Measure::kTime},
                                  {"sec", 1e9, Measure::kTime},
                                  {"ns", 1, Measure::kTime},
                                  {"us", 1e3, Measure::kTime},
                                  {"\u00b5s", 1e3, Measure::kTime},
                                  {"\u03bcs", 1e3, Measure::kTime},
                                  {"ms", 1e6, Measure::kTime},
                                  {"s", 1e9, Measure::kTime},
                                  {"percent", 0.01, Measure::kShare},
                                  {"%", 0.01, Measure::kShare},
                                  {"bytes", 1, Measure::kBytes},
                                  {"KiB", 1024, Measure::kBytes},
                                  {"MiB", 1 << 20, Measure::kBytes},
                                  {"GiB", 1 << 30, Measure::kBytes},
                                  {"kB", 1e3, Measure::kBytes},
                                  {"KB", 1e3, Measure::kBytes},
                                  {"MB", 1e6, Measure::kBytes},
                                  {"GB", 1e9, Measure::kBytes},
                                  {"B", 1, Measure::kBytes},
                                  {"times", 1, Measure::kCount},
                                  {"calls", 1, Measure::kCount},
                                  {"launches", 1, Measure::kCount},
                                  {"kernels", 1, Measure::kCount},
                                  {"copies", 1, Measure::kCount},
                                  {"instances", 1, Measure::kCount},
                                  {"events", 1, Measure::kCount},
                                  {"iterations", 1, Measure::kCount},
                                  {"occurrences", 1, Measure::kCount},
                                  {"invocations", 1, Measure::kCount}};

struct QuantityWord {
  std::string_view word;
  std::string_view quantity;
};
constexpr QuantityWord kQuantities[] = {
    {"total", "total"}, {"sum", "total"},    {"altogether", "total"}, {"median", "median"},
    {"mean", "mean"},   {"average", "mean"}, {"avg", "mean"},         {"averages", "mean"},
    {"max", "max"},     {"maximum", "max"},  {"longest", "max"},      {"slowest", "max"},
    {"worst", "max"},   {"min", "min"},      {"minimum", "min"},      {"shortest", "min"},
    {"fastest", "min"}, {"each", "each"},    {"per", "each"},         {"gain", "gain"},
    {"save", "gain"},   {"saves", "gain"},   {"saving", "gain"},      {"saved", "gain"}};
constexpr std::string_view kAbout[] = {"about",         "around", "roughly", "nearly", "almost",
                                       "approximately", "circa",  "~",       "\u2248"};
constexpr std::string_view kLoose[] = {"at",     "after",  "until", "from",  "to",    "by",
                                       "within", "before", "since", "every", "could", "would"};

bool is_word_byte(char each) {
  const auto byte = static_cast<unsigned char>(each);
  return std::isalnum(byte) != 0 || each == '_' || byte >= 0x80;
}

template <std::size_t N>
bool has(const std::string_view (&list)[N], std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

// Returns the words in lower case, and signs that stand for one.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    if (is_word_byte(text[i]))
      while (end < text.size() && is_word_byte(text[end])) ++end;
    else if (std::string_view("<>=~").find(text[i]) != std::string_view::npos)
      while (end < text.size() &&
             std::string_view("<>=~").find(text[end]) != std::string_view::npos)
        ++end;
    if (end == i) {
      ++i;
      continue;
    }
    words.push_back(base::to_lower(text.substr(i, end - i)));
    i = end;
  }
  return words;
}

class NumberReader {
 public:
  explicit NumberReader(std::string_view sentence) : sentence_(sentence) {}

  std::vector<WrittenNumber> read() {
    for (std::size_t i = 0; i < sentence_.size();) {
      const bool begins = std::isdigit(static_cast<unsigned char>(sentence_[i])) != 0 &&
                          (i == 0 || !joins_a_number(sentence_[i - 1]));
      if (!begins) {
        ++i;
        continue;
      }
      const std::size_t end = add_number(i);
      i = std::max(end, i + 1);
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) add_context(i);
    return std::move(numbers_);
  }

 private:
  static bool joins_a_number(char before) {
    return is_word_byte(before) || before == '.' || before == ',' || before == '-';
  }

  // Returns the end of the number, whether it has a unit or not.
  std::size_t add_number(std::size_t begin) {
    std::string digits;
    std::size_t decimals = 0;
    bool has_point = false;
    std::size_t at = begin;
    const auto is_digit = [&](std::size_t i) {
      return i < sentence_.size() && std::isdigit(static_cast<unsigned char>(sentence_[i])) != 0;
    };
    for (; at < sentence_.size(); ++at) {
      if (is_digit(at)) {
        digits += sentence_[at];
        decimals += has_point ? 1 : 0;
      } else if (sentence_[at] == '.' && !has_point && is_digit(at + 1)) {
        has_point = true;
        digits += '.';
      } else if (sentence_[at] != ',' || has_point || !is_group(at)) {
        break;
      }
    }
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const auto unit = unit_at(at);
    if (!unit) return at;
    WrittenNumber number{begin, unit->second, unit->first->measure, 0, 0};
    // A number stands for all that are rounded to it.
    const double half =
        number.measure == Measure::kCount ? 0 : 0.5 * std::pow(10, -static_cast<double>(decimals));
    number.low = (value - half) * unit->first->factor;
    number.high = (value + half) * unit->first->factor;
    numbers_.push_back(number);
    return unit->second;
  }

  // True if three digits follow the comma.
  bool is_group(std::size_t comma) const {
    const std::string_view rest = sentence_.substr(comma + 1);
    const auto digits = std::ranges::find_if(
        rest, [](char each) { return std::isdigit(static_cast<unsigned char>(each)) == 0; });
    return digits - rest.begin() == 3;
  }

  std::optional<std::pair<const WrittenUnit*, std::size_t>> unit_at(std::size_t at) const {
    constexpr std::string_view kSpaces[] = {" ", "\u00a0", "\u202f"};
    for (const std::string_view space : kSpaces)
      if (sentence_.substr(at).starts_with(space)) {
        at += space.size();
        break;
      }
    for (const WrittenUnit& each : kUnits) {
      if (!sentence_.substr(at).starts_with(each.name)) continue;
      const std::size_t end = at + each.name.size();
      const bool is_sign = each.name == "%";
      if (!is_sign && end < sentence_.size() &&
          (is_word_byte(sentence_[end]) || sentence_[end] == '/'))
        continue;
      return std::pair(&each, end);
    }
    return std::nullopt;
  }

  // Reads the words before the number, and those between it and its neighbours.
  void add_context(std::size_t index) {
    WrittenNumber& number = numbers_[index];
    const std::size_t from = index == 0 ? 0 : numbers_[index - 1].end;
    const std::size_t to =
        index + 1 < numbers_.size() ? numbers_[index + 1].begin : sentence_.size();
    const auto before = words_of(sentence_.substr(from, number.begin - from));
    const auto after = words_of(sentence_.substr(number.end, to - number.end));
    add_bound(before, number);
    constexpr std::size_t kLooseWords = 2;  // before the number
    if (number.bound == WrittenNumber::Bound::kEqual)
      for (std::size_t i = 0; i < std::min(kLooseWords, before.size()); ++i)
        number.is_loose |= has(kLoose, before[before.size() - 1 - i]);
    // A number after the previous one belongs to the words before it, so those come first.
    for (auto word = before.rbegin(); word != before.rend() && number.quantity.empty(); ++word)
      number.quantity = quantity_of(*word);
    constexpr std::size_t kNear = 3;  // words
    const bool is_last = index + 1 == numbers_.size();
    for (std::size_t i = 0; i < after.size() && number.quantity.empty(); ++i)
      if (is_last || i < kNear) number.quantity = quantity_of(after[i]);
  }

  static std::string quantity_of(std::string_view word) {
    const auto* const at = std::ranges::find(kQuantities, word, &QuantityWord::word);
    return at == std::end(kQuantities) ? std::string() : std::string(at->quantity);
  }

  static void add_bound(const std::vector<std::string>& before, WrittenNumber& number) {
    const auto word = [&](std::size_t back) {
      return before.size() > back ? std::string_view(before[before.size() - 1 - back])
                                  : std::string_view();
    };
    const std::string_view last = word(0);
    const std::string_view earlier = word(1);
    using Bound = WrittenNumber::Bound;
    if (last == ">" || last == ">=" || last == "over" || last == "above" || last == "\u2265" ||
        (earlier == "more" && last == "than") || (earlier == "at" && last == "least"))
      number.bound = Bound::kAtLeast;
    else if (last == "<" || last == "<=" || last == "under" || last == "below" ||
             last == "\u2264" || (earlier == "less" && last == "than") ||
             (earlier == "at" && last == "most") || (earlier == "up" && last == "to"))
      number.bound = Bound::kAtMost;
    else if (has(kAbout, last))
      widen(number);
  }

  static void widen(WrittenNumber& number) {
    constexpr double kAboutPart = 0.1;
    const double middle = (number.low + number.high) / 2;
    number.low = std::min(number.low, middle * (1 - kAboutPart));
    number.high = std::max(number.high, middle * (1 + kAboutPart));
  }

  std::string_view sentence_;
  std::vector<WrittenNumber> numbers_;
};

// Collects lines to paragraphs, and divides those into sentences.
class SentenceReader {
 public:
  std::vector<Sentence> read(std::string_view text) {
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      add_line(text.substr(0, end), ++number);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    end_paragraph();
    return std::move(sentences_);
  }

 private:
  void add_line(std::string_view line, std::size_t number) {
    const std::size_t first = std::min(line.find_first_not_of(" \t\r>"), line.size());
    const std::string_view content = line.substr(first);
    if (content.starts_with("```") || content.starts_with("~~~")) {
      end_paragraph();
      is_code_ = !is_code_;
      return;
    }
    if (is_code_) return;
    const bool begins = content.empty() || content.starts_with("- ") || content.starts_with("* ") ||
                        content.starts_with("#") || content.starts_with("|") ||
                        begins_with_number(content);
    if (begins) end_paragraph();
    if (content.empty()) return;
    if (paragraph_.text.empty()) paragraph_.line = number;
    if (!paragraph_.text.empty()) paragraph_.text += ' ';
    paragraph_.text += content;
    if (content.starts_with("|") || content.starts_with("#")) end_paragraph();
  }

  // "1. item"
  static bool begins_with_number(std::string_view content) {
    std::size_t digits = 0;
    while (digits < content.size() &&
           std::isdigit(static_cast<unsigned char>(content[digits])) != 0)
      ++digits;
    return digits > 0 &&
           (content.substr(digits).starts_with(". ") || content.substr(digits).starts_with(") "));
  }

  // The line of a sentence is that of its paragraph.
  void end_paragraph() {
    const std::string_view text = paragraph_.text;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_mark = std::string_view(".;!?").find(text[i]) != std::string_view::npos;
      const bool ends = i + 1 == text.size() || (is_mark && text[i + 1] == ' ');
      if (!ends) continue;
      sentences_.push_back({paragraph_.line, std::string(text.substr(begin, i + 1 - begin))});
      begin = i + 1;
    }
    paragraph_ = {};
  }

  std::vector<Sentence> sentences_;
  Sentence paragraph_{};
  bool is_code_ = false;
};

}  // namespace

std::vector<Sentence> sentences_of(std::string_view text) { return SentenceReader().read(text); }

std::vector<WrittenNumber> numbers_of(std::string_view sentence) {
  return NumberReader(sentence).read();
}

}  // namespace prof::claims
