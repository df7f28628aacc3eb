// Units and numbers as Nsight Compute prints them.
#pragma once

#include <string>
#include <string_view>

namespace prof::stats {

struct ScaledUnit {
  std::string unit;   // "Gbyte/s"
  double factor = 1;  // values in the unit without prefix are divided by it
};

// Returns the unit in which a value has up to three digits before the point.
ScaledUnit scaled_unit(std::string_view unit, double value);

// Returns "1,056" for a whole number, else "77,849.85".
std::string page_number(double value);

// Appends a field of CSV in quotes.
void append_csv_field(std::string& text, std::string_view field, bool is_first = false);

}  // namespace prof::stats
