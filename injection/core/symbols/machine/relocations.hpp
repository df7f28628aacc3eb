// The relocations of pointers to functions of other objects.
#pragma once

#include <elf.h>

#include <cstdint>

namespace prof::core {

#ifdef __x86_64__
inline constexpr std::uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
inline constexpr std::uint32_t kGlobalPointer = R_X86_64_GLOB_DAT;
#else
inline constexpr std::uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
inline constexpr std::uint32_t kGlobalPointer = R_AARCH64_GLOB_DAT;
#endif

}  // namespace prof::core
