// Durations and sizes: parses words of a command line, and makes texts for people.
#pragma once

#include <optional>
#include <string_view>

namespace prof::base {

// A value in the unit that suits it: rounded to three digits it is at least 1, and below 1000
// unless it is already in the greatest unit.
struct Scaled {
  double value = 0;
  const char* unit = "";
  bool is_smallest_unit = false;
};
Scaled scaled_duration(double ns);  // ns, us, ms, s
Scaled scaled_bytes(double bytes);  // B, kB, MB, GB, TB: each is 1000 of the one before it

// Takes the number at the start of the text. Returns nothing if there is none.
std::optional<double> take_number(std::string_view& text);

// Takes a number and its unit from the start of the text: "1.5ms". Returns ns. Units: ns, us, ms,
// s, nsec, usec, msec and sec; a number that ends the text counts in ns. Returns nothing for
// another unit or without a number.
std::optional<double> take_duration(std::string_view& text);

// Parses a whole text with a unit: ns, us, ms, s, m or h. Returns ns, or nothing for another or a
// negative value.
std::optional<double> parse_duration(std::string_view text);

}  // namespace prof::base
