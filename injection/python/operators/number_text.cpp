#include "injection/python/operators/number_text.hpp"

#include <cstring>

namespace prof::python {

namespace {

constexpr int kDigits = 9;
constexpr double kFirstOfTenDigits = 1e9;

// Writes 0.d1d2d3… * 10^exponent.
void add_digits(core::Text& text, const char* digits, int count, int exponent) {
  if (exponent > -4 && exponent <= 0) {
    text.add("0.");
    for (int i = exponent; i < 0; ++i) text.add("0");
    text.add(digits, static_cast<std::size_t>(count));
  } else if (exponent > 0 && exponent <= 16) {
    for (int i = 0; i < exponent; ++i) text.add(i < count ? digits + i : "0", 1);
    text.add(".");
    if (count > exponent)
      text.add(digits + exponent, static_cast<std::size_t>(count - exponent));
    else
      text.add("0");
  } else {
    text.add(digits, 1);
    if (count > 1) text.add(".").add(digits + 1, static_cast<std::size_t>(count - 1));
    text.add(exponent > 0 ? "e+" : "e-");
    const int power = exponent > 0 ? exponent - 1 : 1 - exponent;
    if (power < 10) text.add("0");
    text.add_number(static_cast<std::uint64_t>(power));
  }
}

}  // namespace

void add_integer(core::Text& text, std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  if (number < 0) text.add("-");
  text.add_number(number < 0 ? 0 - bits : bits);
}

void add_number(core::Text& text, std::uint64_t bits) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  constexpr std::uint64_t kInfinite = std::uint64_t{0x7ff} << 52;
  const std::uint64_t magnitude = bits & ~kSign;
  if (magnitude > kInfinite) {
    text.add("nan");
    return;
  }
  if (magnitude != bits) text.add("-");
  if (magnitude == kInfinite || magnitude == 0) {
    text.add(magnitude == 0 ? "0.0" : "inf");
    return;
  }
  double value = 0;
  std::memcpy(&value, &magnitude, sizeof value);
  int exponent = kDigits;  // value = scaled / 10^kDigits * 10^exponent
  while (value >= kFirstOfTenDigits) {
    value /= 10;
    ++exponent;
  }
  while (value < kFirstOfTenDigits / 10) {
    value *= 10;
    --exponent;
  }
  auto scaled = static_cast<std::uint64_t>(value);
  if (value - static_cast<double>(scaled) >= 0.5) ++scaled;
  if (scaled >= static_cast<std::uint64_t>(kFirstOfTenDigits)) {
    scaled /= 10;
    ++exponent;
  }
  char digits[kDigits];
  for (int i = kDigits; i-- > 0; scaled /= 10) digits[i] = static_cast<char>('0' + scaled % 10);
  int count = kDigits;
  while (count > 1 && digits[count - 1] == '0') --count;
  add_digits(text, digits, count, exponent);
}

}  // namespace prof::python
