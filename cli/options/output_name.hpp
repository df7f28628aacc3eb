// Names of output files, in nsys's notation.
#pragma once

#include <string>

namespace prof::cli {

// Expands %q{VAR} (environment variable), %h (host name), %n (the first number from 1 that makes an
// unused name) and %% (a percent sign). Leaves %p for the pid, which is not known yet. A name
// without extension gets ".db". Throws Failure for anything else after a percent sign.
std::string expand_output_name(const std::string& pattern);

// Does it end as nsys's own reports, which are not SQLite files?
bool has_ending_of_nsys(const std::string& path);

}  // namespace prof::cli
