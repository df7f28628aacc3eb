#include "common/code/symbols/symbol_table.hpp"

#include <elf.h>
#include <lzma.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>

#include "common/code/symbols/split_function.hpp"

namespace prof::symbols {
namespace {

constexpr std::uint64_t kMaxMemory = std::uint64_t{256} << 20;

// Unpacks the symbols that distributions keep in stripped files. Returns nothing if that fails.
Bytes unpack(std::span<const std::byte> packed) {
  for (std::size_t size = packed.size() * 8; size <= kMaxMemory; size *= 4) {
    Bytes unpacked(size);
    std::uint64_t memory = kMaxMemory;
    std::size_t in = 0, out = 0;
    const lzma_ret result = lzma_stream_buffer_decode(
        &memory, 0, nullptr, reinterpret_cast<const std::uint8_t*>(packed.data()), &in,
        packed.size(), reinterpret_cast<std::uint8_t*>(unpacked.data()), &out, size);
    if (result == LZMA_BUF_ERROR && out == size) continue;  // the buffer is too small
    if (result != LZMA_OK) return {};
    unpacked.resize(out);
    return unpacked;
  }
  return {};
}

int rank_of(const Elf64_Sym& symbol, std::string_view name) {
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);
  const int by_binding = binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
  // Prefers names with fewer underscores: malloc to __libc_malloc.
  const auto underscores = std::min<std::size_t>(name.find_first_not_of('_'), 3);
  return (symbol.st_size != 0 ? 16 : 0) + by_binding * 4 + 3 - static_cast<int>(underscores);
}

std::optional<std::uint64_t> take_hexadecimal(std::string_view& line) {
  std::uint64_t number = 0;
  if (line.starts_with("0x")) line.remove_prefix(2);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number, 16);
  if (error != std::errc{} || end == line.data() + line.size() || *end != ' ') return {};
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return number;
}

}  // namespace

void SymbolTable::add(const ElfImage& image) {
  add_section(image.section(".symtab"), image.section(".strtab"));
  add_section(image.section(".dynsym"), image.section(".dynstr"));
  add_linkage_table(image);
  add_interpreter_part(image);
  const Section packed = image.section(".gnu_debugdata");
  if (!packed.is_there()) return;
  const auto inner = ElfImage::copy(unpack(packed.bytes));
  if (inner) add_section(inner->section(".symtab"), inner->section(".strtab"));
}

void SymbolTable::add_section(const Section& symbols, const Section& strings) {
  const auto* text = reinterpret_cast<const char*>(strings.bytes.data());
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.bytes.size();
       at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, &symbols.bytes[at], sizeof symbol);
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF ||
        symbol.st_name >= strings.bytes.size())
      continue;
    std::string_view name(text + symbol.st_name,
                          strnlen(text + symbol.st_name, strings.bytes.size() - symbol.st_name));
    name = name.substr(0, name.find('@'));  // "clock_gettime@GLIBC_2.2.5"
    if (!name.empty()) add_entry(symbol.st_value, symbol.st_size, name, rank_of(symbol, name));
  }
}

// The evaluation loop of CPython can be in the part without a symbol (Debian's 3.14, by GCC 16).
// Its name is needed, because Python's frames replace the frames of the loop.
void SymbolTable::add_interpreter_part(const ElfImage& image) {
  constexpr std::string_view kLoop = "_PyEval_EvalFrameDefault";
  const auto is_loop = [&](const Entry& each) {
    return each.size != 0 && std::string_view(names_).substr(each.name, each.name_size) == kLoop;
  };
  const auto loop = std::find_if(entries_.begin(), entries_.end(), is_loop);
  if (loop == entries_.end()) return;
  constexpr int kLowestRank = -1;
  if (const auto part = other_part(image, loop->address, loop->size))
    add_entry(part->address, part->size, std::string(kLoop) + ".cold", kLowestRank);
}

// Adds entries of the PLT, which have no symbols. Otherwise they would get the name of the function
// before them, usually `_init`. The first entry of .plt is the linker's resolver; .plt.sec has no
// such entry.
void SymbolTable::add_linkage_table(const ElfImage& image) {
  constexpr std::uint64_t kEntry = 16;
  const Section relocations = image.section(".rela.plt");
  const Section symbols = image.section(".dynsym");
  const Section strings = image.section(".dynstr");
  const auto* text = reinterpret_cast<const char*>(strings.bytes.data());
  for (const auto& [name, first] : {std::pair(".plt", 1U), std::pair(".plt.sec", 0U)}) {
    const Section table = image.section(name);
    if (!table.is_there()) continue;
    if (first > 0) add_entry(table.address, first * kEntry, "[resolver]@plt", 0);
    const std::size_t count =
        std::min(relocations.bytes.size() / sizeof(Elf64_Rela), table.bytes.size() / kEntry);
    for (std::size_t i = 0; i < count; ++i) {
      Elf64_Rela relocation;
      Elf64_Sym symbol;
      std::memcpy(&relocation, &relocations.bytes[i * sizeof relocation], sizeof relocation);
      const std::uint64_t at = ELF64_R_SYM(relocation.r_info) * sizeof symbol;
      std::string function = "[indirect]";
      if (at != 0 && at + sizeof symbol <= symbols.bytes.size()) {
        std::memcpy(&symbol, &symbols.bytes[at], sizeof symbol);
        if (symbol.st_name < strings.bytes.size())
          function.assign(text + symbol.st_name,
                          strnlen(text + symbol.st_name, strings.bytes.size() - symbol.st_name));
      }
      add_entry(table.address + (i + first) * kEntry, kEntry, function + "@plt", 0);
    }
  }
  const Section direct = image.section(".plt.got");
  if (direct.is_there()) add_entry(direct.address, direct.bytes.size(), "[direct]@plt", 0);
}

void SymbolTable::add_perf_map(std::string_view text) {
  int age = 0;  // the newest code at an address wins
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    const auto address = take_hexadecimal(line);
    const auto size = address ? take_hexadecimal(line) : address;
    if (size && !line.empty()) add_entry(*address, *size, line, age++);
  }
}

void SymbolTable::add_entry(std::uint64_t address, std::uint64_t size, std::string_view name,
                            int rank) {
  entries_.push_back({address, size, names_.size(), name.size(), rank});
  names_ += name;
}

void SymbolTable::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.address != b.address ? a.address < b.address : a.rank > b.rank;
  });
  for (const Entry& each : entries_)
    if (symbols_.empty() || symbols_.back().address != each.address)
      symbols_.push_back(
          {each.address, each.size, std::string_view(names_).substr(each.name, each.name_size)});
  entries_ = {};
}

const Symbol* SymbolTable::find(std::uint64_t address) const {
  const auto above =
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](std::uint64_t at, const Symbol& each) { return at < each.address; });
  if (above == symbols_.begin()) return nullptr;
  const Symbol& below = *std::prev(above);
  return below.size == 0 || address - below.address < below.size ? &below : nullptr;
}

}  // namespace prof::symbols
