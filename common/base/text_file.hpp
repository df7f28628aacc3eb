// Reads text files whole.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace prof::base {

// Nothing, with errno set: it cannot be read. Also if that comes up while reading: a directory, or
// a file of /proc whose process ends. What is longer than `most` bytes is cut.
std::optional<std::string> read_text_file(const std::string& path,
                                          std::size_t most = std::string::npos);

}  // namespace prof::base
