// A small shared library that contains one section, for fuzz targets and their seeds.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace prof::fuzz {

inline constexpr std::uint64_t kCodeAt = 0x1000;
inline constexpr std::uint64_t kFramesAt = 0x8000;

// One executable segment [0, 0x10000). The file contains only the section of it.
inline std::vector<std::byte> tiny_elf(std::span<const std::byte> content, const char* name) {
  std::string names = std::string(1, '\0') + name + '\0' + ".shstrtab" + '\0';
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_phnum = 1;
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  header.e_phoff = sizeof header;
  header.e_shoff = header.e_phoff + sizeof(Elf64_Phdr);
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_filesz = segment.p_memsz = 0x10000;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_flags = SHF_ALLOC;
  sections[1].sh_addr = kFramesAt;
  sections[1].sh_offset = header.e_shoff + sizeof sections;
  sections[1].sh_size = content.size();
  sections[2].sh_name = static_cast<Elf64_Word>(std::strlen(name) + 2);
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sections[1].sh_offset + content.size();
  sections[2].sh_size = names.size();
  std::vector<std::byte> file;
  const auto append = [&](std::span<const std::byte> bytes) {
    file.insert(file.end(), bytes.begin(), bytes.end());
  };
  append(std::as_bytes(std::span(&header, 1)));
  append(std::as_bytes(std::span(&segment, 1)));
  append(std::as_bytes(std::span(sections)));
  append(content);
  append(std::as_bytes(std::span(names)));
  return file;
}

}  // namespace prof::fuzz
