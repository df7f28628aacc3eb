// Finds separate debug files in the places that distributions use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/code/symbols/elf_image.hpp"

namespace prof::symbols {

// Opens the debug file of `image`, which was read from `path`. Looks by build-id in each of
// `folders`, then by .gnu_debuglink beside the file, in .debug beside it, and in each of `folders`.
// Skips files with another build-id or, without a build-id, with another CRC.
std::optional<ElfImage> open_debug_file(const ElfImage& image, const std::string& path,
                                        const std::vector<std::string>& folders = {
                                            "/usr/lib/debug"});

}  // namespace prof::symbols
