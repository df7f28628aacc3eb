#include "injection/cuda/kernels/selection/base_name.hpp"

#include <cstring>

namespace prof::cuda::kernels {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Walks over a mangled name (Itanium C++ ABI). At anything unknown it stops at the end of the text.
class Walk {
 public:
  explicit Walk(const char* text) : at_(text), end_(text + std::strlen(text)) {}

  bool is_at_end() const { return at_ >= end_; }
  char next() const { return is_at_end() ? '\0' : *at_; }
  char second() const { return end_ - at_ < 2 ? '\0' : at_[1]; }
  void skip(std::ptrdiff_t count) { at_ = end_ - at_ < count ? end_ : at_ + count; }
  void give_up() { at_ = end_; }

  // Takes a name with its length before it.
  TextRange take_name() {
    std::ptrdiff_t length = 0;
    while (is_digit(next()) && length < 100'000) {
      length = length * 10 + (next() - '0');
      skip(1);
    }
    const TextRange name{at_, static_cast<std::size_t>(end_ - at_ < length ? end_ - at_ : length)};
    skip(length);
    return name;
  }

  void skip_until(char last) {
    while (!is_at_end() && next() != last) skip(1);
    skip(1);
  }

  // Skips "S_", "S1_", "St" and the like.
  void skip_substitution() {
    skip(1);
    if (next() == '_' || is_digit(next()) || (next() >= 'A' && next() <= 'Z'))
      skip_until('_');
    else
      skip(1);
  }

  // Skips "Li4E", "LN4demo4KindE1E", "L4Kind1E".
  void skip_literal() {
    skip(1);
    if (next() == 'N')
      skip_nested();
    else if (is_digit(next()))
      take_name();
    else if (next() == 'S')
      skip_substitution();
    skip_until('E');
  }

  // Skips from a letter that opens a list to the E that closes it.
  void skip_nested() {
    int depth = 0;
    do {
      step(depth);
    } while (depth > 0 && !is_at_end());
  }

 private:
  void step(int& depth) {
    switch (next()) {
      case 'E':
        --depth;
        return skip(1);
      case 'I':
      case 'N':
      case 'J':
      case 'F':
      case 'X':
        ++depth;
        return skip(1);
      case 'L':
        return skip_literal();
      case 'S':
        return skip_substitution();
      case 'T':
      case 'A':
        return skip_until('_');
      case 'D':
        if (second() == 'T' || second() == 't') ++depth;
        return skip(2);
      default:
        if (!is_digit(next())) return skip(1);
        take_name();
    }
  }

  const char* at_;
  const char* end_;
};

// Reads the parts of "N4demo6reduceIfEE" and returns the last name.
TextRange nested_name(Walk& walk, TextRange name) {
  walk.skip(1);
  while (!walk.is_at_end() && walk.next() != 'E') {
    const char c = walk.next();
    if (is_digit(c))
      name = walk.take_name();
    else if (c == 'I')
      walk.skip_nested();
    else if (c == 'S')
      walk.skip_substitution();
    else if (c == 'B') {
      walk.skip(1);
      walk.take_name();
    } else if (std::strchr("rVKROL", c) != nullptr)
      walk.skip(1);
    else
      walk.give_up();
  }
  return name;
}

}  // namespace

TextRange base_name(const char* mangled) {
  const TextRange whole{mangled, std::strlen(mangled)};
  if (std::strncmp(mangled, "_Z", 2) != 0) return whole;
  Walk walk(mangled + 2);
  if (walk.next() == 'L') walk.skip(1);
  if (walk.next() == 'N') return nested_name(walk, whole);
  if (walk.next() == 'S' && walk.second() == 't') walk.skip(2);
  return is_digit(walk.next()) ? walk.take_name() : whole;
}

}  // namespace prof::cuda::kernels
