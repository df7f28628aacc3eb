// Where the other part of a function is.
//
// GCC moves what runs seldom, and sometimes nearly all, into a separate part. Its symbol,
// `NAME.cold`, is local, so a stripped file does not have it. The frame tables know the part, and
// jumps lead into the middle of it: into other functions they lead to the begin only.
#pragma once

#include <cstdint>
#include <optional>

#include "common/code/symbols/elf_image.hpp"

namespace prof::symbols {

struct CodePart {
  std::uint64_t address = 0;  // as linked
  std::uint64_t size = 0;
};

// `address` and `size` are those of the function's symbol. None on other processors than x86-64.
std::optional<CodePart> other_part(const ElfImage& image, std::uint64_t address,
                                   std::uint64_t size);

}  // namespace prof::symbols
