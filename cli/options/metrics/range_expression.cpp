#include "cli/options/metrics/range_expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/messages/failure.hpp"

namespace prof::cli {

namespace {

// A character of an expression; one after a backslash has no meaning.
struct Letter {
  char character;
  bool is_literal;

  bool is(char c) const { return !is_literal && character == c; }
};

std::vector<Letter> letters_of(const std::string& expression) {
  std::vector<Letter> letters;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const bool is_escaped = expression[i] == '\\' && i + 1 < expression.size();
    if (is_escaped) ++i;
    letters.push_back({expression[i], is_escaped});
  }
  return letters;
}

class RangeExpression {
 public:
  RangeExpression(std::string option, std::string expression)
      : option_(std::move(option)), expression_(std::move(expression)) {}

  std::string line() {
    for (const Letter& letter : letters_of(expression_)) take(letter);
    if (!has_place_ && parts_.empty())
      fail("is a start/end range; prof knows push/pop ranges: write NAME/");
    end_part();
    if (parts_.empty()) fail("has no name of a range");
    if (parts_.size() > kMostParts) fail("has too many parts");
    return fmt::format("{}\t{}\t{}", domain_, place_.empty() ? "-" : place_,
                       fmt::join(parts_, "\t"));
  }

 private:
  static constexpr std::string_view kDefaultDomain = "<default-domain>";
  static constexpr std::size_t kMostParts = 16;  // RangePattern::kMostParts in the program

  [[noreturn]] void fail(const char* why) const {
    throw Failure(fmt::format("{} {}: the expression {}", option_, expression_, why), kBadUsage);
  }

  void take(const Letter& letter) {
    if (letter.character == '\t' || letter.character == '\n') fail("has a tab or a line break");
    if (letter.is(',')) fail("has a comma; give the option once for each expression");
    if (letter.is('@') && parts_.empty() && !has_place_) {
      domain_ = std::exchange(part_, {});
      if (domain_ == kDefaultDomain) domain_.clear();
    } else if (letter.is('[') || letter.is(']')) {
      has_place_ = true;
      place_ += letter.character;
    } else if (letter.is('/')) {
      has_place_ = true;
      end_part();
    } else {
      part_ += letter.character;
      is_literal_ = is_literal_ || letter.is_literal;
    }
  }

  void end_part() {
    if (part_.empty()) return;
    if (part_.starts_with("regex:")) fail("has a regular expression; prof knows names of ranges");
    const bool is_sign = !is_literal_ && (part_ == "*" || part_ == "+");
    parts_.push_back((is_sign ? "" : "=") + std::exchange(part_, {}));
    is_literal_ = false;
  }

  std::string option_;
  std::string expression_;
  std::string domain_;
  std::string place_;  // "[" and "]"
  std::string part_;
  bool is_literal_ = false;  // the part has characters after backslashes
  bool has_place_ = false;   // push/pop ranges have a bracket or a slash
  std::vector<std::string> parts_;
};

}  // namespace

std::string range_line(const std::string& option, const std::string& expression) {
  return RangeExpression(option, expression).line();
}

}  // namespace prof::cli
