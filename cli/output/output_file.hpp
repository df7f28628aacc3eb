// Files that are complete or do not exist.
#pragma once

#include <functional>
#include <string>

#include "exporters/formats/output.hpp"

namespace prof::cli {

// Throws Failure if the file exists and may not be replaced.
void check_may_write(const std::string& path, bool overwrite);

// Writes what `make` makes to a temporary file, and renames that at the end. Throws Failure, also
// for an error of `make`, and leaves nothing then.
void write_output_file(const std::string& path,
                       const std::function<base::Status(const formats::Output&)>& make);

}  // namespace prof::cli
