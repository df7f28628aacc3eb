// Composes texts in memory of a fixed size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::core {

// Appends texts to each other. The first part that does not fit, and all parts after it, are left
// out.
class Text {
 public:
  template <std::size_t N>
  explicit Text(char (&out)[N]) : Text(out, N) {}
  Text(char* out, std::size_t room) : at_(out), end_(out + room) { *at_ = '\0'; }

  Text& add(const char* text) { return add(text, std::strlen(text)); }
  Text& add(const char* text, std::size_t length) {
    fits_ = fits_ && length < static_cast<std::size_t>(end_ - at_);
    if (!fits_) return *this;
    std::memcpy(at_, text, length);
    at_ += length;
    *at_ = '\0';
    return *this;
  }
  Text& add_number(std::uint64_t number) {
    char digits[20];
    char* const end = digits + sizeof digits;
    char* at = end;
    do {
      *--at = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return add(at, static_cast<std::size_t>(end - at));
  }

  bool fits() const { return fits_; }
  char* end() const { return at_; }
  std::size_t room() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  char* at_;
  char* end_;
  bool fits_ = true;
};

}  // namespace prof::core
