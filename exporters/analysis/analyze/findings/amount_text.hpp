// Prints amounts and names for the sentences of findings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prof::analyze {

std::string time_text(std::int64_t ns);                             // "1.23 ms", "45 us", "3.1 s"
std::string count_text(std::int64_t count, std::string_view noun);  // "1 copy", "2 kernels"
std::string bytes_text(std::int64_t bytes);                         // "1.5 MB", decimal
// Returns the name of a kernel, shortened, because names of templates can be very long.
std::string name_text(const std::string& name);

}  // namespace prof::analyze
