// Reads whole text files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace prof::base {

// Returns nothing if the file cannot be read, and sets errno. Some files open and then cannot be
// read: a directory, or a file of /proc whose process ends. A text longer than `most` bytes is cut.
std::optional<std::string> read_text_file(const std::string& path,
                                          std::size_t most = std::string::npos);

}  // namespace prof::base
