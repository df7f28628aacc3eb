// Options of nsys that prof does not have: why, and what to use instead.
#pragma once

#include <string>

namespace prof::cli {

struct NsysOption {
  const char* name;
  const char* short_name;  // or null
  // The value that asks for what prof does anyway, which is accepted. Null: none.
  const char* accepted;
  const char* why;
};

// Null if nsys has no such option, or prof has it. `name`: with its dashes.
const NsysOption* find_nsys_option(const std::string& name);

}  // namespace prof::cli
