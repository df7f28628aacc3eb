// Separate debug files, where distributions put them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/symbols/elf_image.hpp"

namespace prof::symbols {

// The debug file of `image`, which was read from `path`: by build-id below each of `folders`, else
// by .gnu_debuglink beside it, in .debug beside it, and below each of `folders`. One that does not
// belong to it (another build-id; without one, another CRC) is passed over.
std::optional<ElfImage> open_debug_file(const ElfImage& image, const std::string& path,
                                        const std::vector<std::string>& folders = {
                                            "/usr/lib/debug"});

}  // namespace prof::symbols
