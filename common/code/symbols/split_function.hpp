// Finds the second part of a function that the compiler has split.
//
// GCC moves code that runs seldom, sometimes nearly the whole function, into a separate part. Its
// symbol, `NAME.cold`, is local, so a stripped file does not have it. The frame tables list the
// part, and jumps lead into the middle of it. Jumps into other functions lead only to their start.
#pragma once

#include <cstdint>
#include <optional>

#include "common/code/symbols/elf_image.hpp"

namespace prof::symbols {

struct CodePart {
  std::uint64_t address = 0;  // as linked
  std::uint64_t size = 0;
};

// Returns the second part of the function whose symbol has `address` and `size`. Returns nothing on
// processors other than x86-64.
std::optional<CodePart> other_part(const ElfImage& image, std::uint64_t address,
                                   std::uint64_t size);

}  // namespace prof::symbols
