#include "common/code/cubin/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "common/code/cubin/byte_reader.hpp"
#include "common/code/demangle/demangle_function.hpp"

namespace prof::cubin {
namespace {

constexpr std::uint16_t kCudaMachine = 190;
constexpr std::string_view kTextPrefix = ".text.";
// Since CUDA 13 this ABI has the architecture in other bits of the flags.
constexpr unsigned char kNewAbi = 0x41;
// Only a damaged cubin has longer chains of inlined functions.
constexpr std::size_t kMaxFrames = 256;

std::string_view text_at(std::span<const std::byte> texts, std::uint64_t offset) {
  if (offset >= texts.size()) return {};
  return ByteReader(texts.subspan(offset)).text();
}

// "$CALLER$CALLEE" is a subroutine of a kernel, "$__internal_1_$NAME" one of the compiler's.
std::string_view subroutine_name(std::string_view symbol) {
  const std::size_t last = symbol.rfind('$');
  return symbol.starts_with('$') && last != 0 ? symbol.substr(last + 1) : symbol;
}

}  // namespace

class CubinReader {
 public:
  explicit CubinReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  base::Result<Cubin> read() {
    if (const auto done = read_header(); !done) return base::fail(done.error().message);
    find_sections();
    read_symbols();
    read_lines();
    return std::move(cubin_);
  }

 private:
  base::Status read_header() {
    ByteReader reader(bytes_);
    header_ = reader.fixed<Elf64_Ehdr>();
    if (!reader.is_good() || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB)
      return base::fail("not a 64-bit ELF file");
    if (header_.e_machine != kCudaMachine) return base::fail("not a cubin");
    const unsigned shift = header_.e_ident[EI_OSABI] == kNewAbi ? 8 : 0;
    cubin_.architecture_ = static_cast<int>(header_.e_flags >> shift & 0xff);
    if (header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shoff >= bytes_.size())
      return base::fail("a cubin without sections");
    ByteReader table(bytes_.subspan(header_.e_shoff));
    const auto first = table.fixed<Elf64_Shdr>();
    // The numbers of many sections are in the first one.
    const std::uint64_t count = header_.e_shnum != 0 ? header_.e_shnum : first.sh_size;
    names_section_ = header_.e_shstrndx != SHN_XINDEX ? header_.e_shstrndx : first.sh_link;
    if (!table.is_good() || count > (bytes_.size() - header_.e_shoff) / sizeof(Elf64_Shdr))
      return base::fail("a cubin without all of its sections");
    table.seek(0);
    sections_.resize(count);
    for (Elf64_Shdr& each : sections_) each = table.fixed<Elf64_Shdr>();
    return {};
  }

  std::span<const std::byte> content(std::size_t section) const {
    if (section >= sections_.size()) return {};
    const Elf64_Shdr& header = sections_[section];
    if (header.sh_type == SHT_NOBITS || header.sh_offset > bytes_.size() ||
        header.sh_size > bytes_.size() - header.sh_offset ||
        (header.sh_flags & SHF_COMPRESSED) != 0)
      return {};
    return bytes_.subspan(header.sh_offset, header.sh_size);
  }

  void find_sections() {
    const auto names = content(names_section_);
    for (std::uint32_t i = 1; i < sections_.size(); ++i) {
      const std::string_view name = text_at(names, sections_[i].sh_name);
      if (name.starts_with(kTextPrefix) && sections_[i].sh_type == SHT_PROGBITS)
        cubin_.functions_.push_back({name.substr(kTextPrefix.size()), content(i), i, 0});
      else if (name == ".debug_line")
        line_section_ = i;
      else if (name == ".debug_str")
        cubin_.names_ = content(i);
      else if (sections_[i].sh_type == SHT_SYMTAB)
        symbol_section_ = i;
      else if (sections_[i].sh_type == SHT_SYMTAB_SHNDX)
        index_section_ = i;
    }
    std::ranges::sort(cubin_.functions_, {}, &Function::name);
  }

  Elf64_Sym symbol(std::uint64_t number) const {
    const auto table = content(symbol_section_);
    if (number >= table.size() / sizeof(Elf64_Sym)) return {};
    return ByteReader(table.subspan(number * sizeof(Elf64_Sym))).fixed<Elf64_Sym>();
  }

  std::uint32_t section_of(std::uint64_t number, const Elf64_Sym& symbol) const {
    if (symbol.st_shndx != SHN_XINDEX) return symbol.st_shndx;
    const auto table = content(index_section_);
    if (number >= table.size() / sizeof(Elf64_Word)) return 0;
    return ByteReader(table.subspan(number * sizeof(Elf64_Word))).fixed<Elf64_Word>();
  }

  void read_symbols() {
    if (symbol_section_ == 0) return;
    const auto names = content(sections_[symbol_section_].sh_link);
    const std::uint64_t count = content(symbol_section_).size() / sizeof(Elf64_Sym);
    std::unordered_map<std::uint32_t, std::uint64_t> numbers;  // of symbols, by section
    for (std::uint64_t i = 0; i < count; ++i) {
      const Elf64_Sym each = symbol(i);
      if (ELF64_ST_TYPE(each.st_info) != STT_FUNC) continue;
      const std::uint32_t section = section_of(i, each);
      if (section == 0) continue;
      if (each.st_value == 0) {  // the function with the section's name
        numbers.try_emplace(section, i);
        continue;
      }
      cubin_.subroutines_.push_back({section, each.st_value, each.st_value + each.st_size,
                                     subroutine_name(text_at(names, each.st_name))});
    }
    for (Function& each : cubin_.functions_)
      if (const auto found = numbers.find(each.section); found != numbers.end())
        each.symbol = found->second;
    std::ranges::sort(cubin_.subroutines_, {}, [](const Cubin::Subroutine& each) {
      return std::tuple(each.section, each.start);
    });
  }

  template <class Relocation>
  void add_addresses(std::span<const std::byte> table) {
    ByteReader reader(table);
    // An address takes eight bytes. Sections of a damaged file may have more of them.
    const std::size_t most = content(line_section_).size() / sizeof(std::uint64_t);
    for (std::size_t left = table.size() / sizeof(Relocation); left > 0 && addresses_.size() < most;
         --left) {
      const auto each = reader.fixed<Relocation>();
      const Elf64_Sym target = symbol(ELF64_R_SYM(each.r_info));
      LineAddress address{each.r_offset, section_of(ELF64_R_SYM(each.r_info), target),
                          target.st_value, true};
      if constexpr (std::is_same_v<Relocation, Elf64_Rela>) {
        address.offset += static_cast<std::uint64_t>(each.r_addend);
        address.adds_stored = false;
      }
      addresses_.push_back(address);
    }
  }

  void read_lines() {
    if (line_section_ == 0) return;
    for (std::size_t i = 1; i < sections_.size(); ++i) {
      if (sections_[i].sh_info != line_section_) continue;
      if (sections_[i].sh_type == SHT_RELA) add_addresses<Elf64_Rela>(content(i));
      if (sections_[i].sh_type == SHT_REL) add_addresses<Elf64_Rel>(content(i));
    }
    std::ranges::stable_sort(addresses_, {}, &LineAddress::place);
    cubin_.lines_.decode(content(line_section_), addresses_);
  }

  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  std::uint32_t names_section_ = 0, line_section_ = 0, symbol_section_ = 0, index_section_ = 0;
  std::vector<LineAddress> addresses_;
  Cubin cubin_;
};

base::Result<Cubin> Cubin::read(std::span<const std::byte> bytes) {
  return CubinReader(bytes).read();
}

const Function* Cubin::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(functions_, name, {}, &Function::name);
  return found != functions_.end() && found->name == name ? &*found : nullptr;
}

const Cubin::Subroutine* Cubin::subroutine_at(const Function& function,
                                              std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(
      subroutines_, std::tuple(function.section, offset), {},
      [](const Subroutine& each) { return std::tuple(each.section, each.start); });
  if (after == subroutines_.begin()) return nullptr;
  const Subroutine& found = *std::prev(after);
  return found.section == function.section && offset < found.end ? &found : nullptr;
}

const std::string& Cubin::demangled(std::string_view name) const {
  const auto [at, is_new] = demangled_.try_emplace(name);
  if (is_new) at->second = demangle::demangle_function(std::string(name));
  return at->second;
}

std::vector<symbols::SourceFrame> Cubin::frames(const Function& function,
                                                std::uint64_t offset) const {
  const Subroutine* subroutine = subroutine_at(function, offset);
  const std::string_view outermost = subroutine != nullptr ? subroutine->name : function.name;
  const LineRow* row = lines_.find(function.section, offset);
  // The last row before a subroutine without lines belongs to the code before it.
  if (row != nullptr && subroutine != nullptr && row->offset < subroutine->start) row = nullptr;
  std::vector<symbols::SourceFrame> frames;
  if (row == nullptr) {
    frames.push_back({demangled(outermost), {}, 0, false});
    return frames;
  }
  for (; row != nullptr && frames.size() < kMaxFrames; row = lines_.caller_of(*row)) {
    const bool is_inlined = row->caller != 0;
    const std::string_view name = is_inlined ? text_at(names_, row->function) : outermost;
    frames.push_back(
        {demangled(name), lines_.file(row->file), static_cast<int>(row->line), is_inlined});
  }
  return frames;
}

}  // namespace prof::cubin
