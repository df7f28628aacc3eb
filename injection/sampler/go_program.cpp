#include "injection/sampler/go_program.hpp"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace prof::sampler {

namespace {

constexpr char kGo[] = "Go\0";  // as in the note, with zeros up to four bytes
constexpr std::uint32_t kBuildId = 4;

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; }

bool has_go_note(const std::byte* notes, std::uint64_t bytes) {
  ElfW(Nhdr) note;
  while (bytes >= sizeof note) {
    std::memcpy(&note, notes, sizeof note);
    const std::uint64_t size = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (size > bytes) return false;
    if (note.n_type == kBuildId && note.n_namesz == sizeof kGo &&
        std::memcmp(notes + sizeof note, kGo, sizeof kGo) == 0)
      return true;
    notes += size;
    bytes -= size;
  }
  return false;
}

}  // namespace

bool is_go_program() {
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const std::uint64_t count = headers != nullptr ? getauxval(AT_PHNUM) : 0;
  std::uintptr_t base = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_PHDR)
      base = reinterpret_cast<std::uintptr_t>(headers) - headers[i].p_vaddr;
  for (std::uint64_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_NOTE &&
        has_go_note(reinterpret_cast<const std::byte*>(base + headers[i].p_vaddr),
                    headers[i].p_filesz))
      return true;
  return false;
}

}  // namespace prof::sampler
