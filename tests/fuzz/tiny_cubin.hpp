// A small cubin with one function and its line program, for fuzz targets, their seeds and tests.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace prof::fuzz {

using CubinBytes = std::vector<std::uint8_t>;

// A header for the file "/x/k.py", and the opcode that sets the address. The linker fills it in.
inline constexpr std::uint8_t kLineProgramStart[] = {
    0,   0,   0,   0,  2,   0,   27,  0,   0, 0,  // sizes of the program and the header, version
    1,   1,   251, 14, 10,  0,   1,   1,   1, 1, 0, 0, 0, 1,  // lengths of instructions and opcodes
    '/', 'x', 0,   0,  'k', '.', 'p', 'y', 0, 1, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0};
inline constexpr std::size_t kLineAddressAt = 40;
static_assert(sizeof kLineProgramStart == kLineAddressAt + 8);

inline CubinBytes line_program(std::span<const std::uint8_t> opcodes) {
  CubinBytes program(std::begin(kLineProgramStart), std::end(kLineProgramStart));
  program.insert(program.end(), opcodes.begin(), opcodes.end());
  const auto size = static_cast<std::uint32_t>(program.size() - 4);
  std::memcpy(program.data(), &size, sizeof size);
  return program;
}

// Function "kernel" has 0x300 bytes, of which the subroutine "helper" has the last 0x100. The
// names of inlined functions, "inner" and "middle", are at 0 and 6 of .debug_str.
inline CubinBytes tiny_cubin(std::span<const std::uint8_t> debug_line) {
  struct Part {
    std::string name;
    std::uint32_t type;
    std::string content;
  };
  const auto bytes_of = [](const auto& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::string texts(1, '\0');
  const auto add_text = [&](const std::string& text) {
    const std::size_t at = texts.size();
    texts += text + '\0';
    return static_cast<std::uint32_t>(at);
  };
  Elf64_Sym symbols[3] = {};
  symbols[1] = {add_text("kernel"), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0, 0x300};
  symbols[2] = {add_text("$kernel$helper"), ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 1, 0x200, 0x100};
  const Elf64_Rela address{kLineAddressAt, ELF64_R_INFO(1, 2), 0};
  std::vector<Part> parts = {
      {".text.kernel", SHT_PROGBITS, std::string(0x300, '\0')},
      {".debug_line", SHT_PROGBITS, std::string(debug_line.begin(), debug_line.end())},
      {".debug_str", SHT_PROGBITS, std::string("inner\0middle", 13)},
      {".rela.debug_line", SHT_RELA, bytes_of(address)},
      {".symtab", SHT_SYMTAB, bytes_of(symbols)},
      {".strtab", SHT_STRTAB, {}}};
  const auto count = static_cast<std::uint16_t>(parts.size() + 1);
  std::vector<Elf64_Shdr> sections(count);
  for (std::size_t i = 1; i < count; ++i) sections[i].sh_name = add_text(parts[i - 1].name);
  parts.back().content = texts;
  sections[4].sh_info = 2;
  sections[5].sh_link = 6;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_OSABI] = 0x41;
  header.e_type = ET_EXEC;
  header.e_machine = 190;
  header.e_flags = 90 << 8;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = count;
  header.e_shstrndx = 6;
  header.e_shoff = sizeof header;
  std::string file = bytes_of(header), contents;
  for (std::size_t i = 1; i < count; ++i) {
    sections[i].sh_type = parts[i - 1].type;
    sections[i].sh_offset = sizeof header + count * sizeof(Elf64_Shdr) + contents.size();
    sections[i].sh_size = parts[i - 1].content.size();
    contents += parts[i - 1].content;
  }
  for (const Elf64_Shdr& each : sections) file += bytes_of(each);
  file += contents;
  return {file.begin(), file.end()};
}

// Rows of "kernel": line 5 from 0x10 on, "middle" called there (line 9 from 0x20 on), "inner"
// called in it (line 2 from 0x40 on), line 6 from 0x50 up to 0x300.
inline constexpr std::uint8_t kLineOpcodes[] = {
    2, 16,   3,    4, 1,                    // offset 0x10, line 5: row 1
    0, 3,    0x90, 1, 6, 2, 16, 3, 4,   1,  // "middle", called in row 1: row 2, line 9
    0, 3,    0x90, 2, 0, 2, 32, 3, 121, 1,  // "inner", called in row 2: row 3, line 2
    0, 3,    0x90, 0, 0, 3, 4,  2, 16,  1,  // row 4, line 6
    2, 0xb0, 5,    0, 1, 1};

}  // namespace prof::fuzz
