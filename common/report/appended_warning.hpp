// A warning that is known only after a report has got its name.
#pragma once

#include <string>

namespace prof::report {

// Adds a row to the report's DIAGNOSTIC_EVENT, at the end of its timeline. Does nothing if the
// report is gone, or cannot be written.
void append_warning(const std::string& path, const std::string& text);

}  // namespace prof::report
