#include "collector/live/variables.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "common/base/text/printable.hpp"
#include "common/code/demangle/demangle_function.hpp"
#include "common/code/symbols/elf_image.hpp"
#include "common/code/unwind/mapped_file.hpp"

namespace prof::live {

// Variables without an initial value are in memory without a file, right after the file's memory.
std::string Variables::find(pid_t pid, const std::vector<unwind::MapEvent>& maps,
                            const std::string& root, std::uint64_t address) {
  // First mapping of the file that the memory may belong to.
  const unwind::MapEvent* first = nullptr;
  std::uint64_t end = 0;
  for (const unwind::MapEvent& each : maps) {
    const bool has_file = each.path.starts_with('/');
    if (has_file && (first == nullptr || first->path != each.path)) first = &each;
    if (!has_file && (!each.path.empty() || each.start != end)) first = nullptr;
    end = each.start + each.length;
    if (address < each.start || address >= end) continue;
    if (first == nullptr) return "";
    const std::string path =
        unwind::find_mapped_file(pid, *first, unwind::path_of_file(*first, root), root).path;
    const auto [file, is_new] = files_.try_emplace(path);
    if (is_new) file->second = read(path, first->offset);
    const std::uint64_t linked = address - first->start + file->second.first_address;
    const auto above = std::ranges::upper_bound(file->second.variables, linked, {},
                                                [](const Variable& at) { return at.address; });
    if (above == file->second.variables.begin()) return "";
    const Variable& variable = *std::prev(above);
    return linked - variable.address < variable.size
               ? base::printable(demangle::demangle_function(variable.name))
               : "";
  }
  return "";
}

Variables::File Variables::read(const std::string& path, std::uint64_t first_offset) {
  File file;
  const auto image = symbols::ElfImage::open(path);
  const auto first = image ? image->address_of(first_offset) : std::nullopt;
  if (!first) return file;
  file.first_address = *first;
  for (const auto& [table_name, strings_name] :
       {std::pair(".symtab", ".strtab"), std::pair(".dynsym", ".dynstr")}) {
    const symbols::Section table = image->section(table_name);
    const symbols::Section strings = image->section(strings_name);
    const auto* text = reinterpret_cast<const char*>(strings.bytes.data());
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size();
         at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, &table.bytes[at], sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF ||
          symbol.st_size == 0 || symbol.st_name >= strings.bytes.size())
        continue;
      file.variables.push_back(
          {symbol.st_value, symbol.st_size,
           std::string(text + symbol.st_name,
                       strnlen(text + symbol.st_name, strings.bytes.size() - symbol.st_name))});
    }
  }
  std::ranges::stable_sort(file.variables, {}, [](const Variable& at) { return at.address; });
  return file;
}

}  // namespace prof::live
