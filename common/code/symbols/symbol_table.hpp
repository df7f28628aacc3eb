// The functions of a file, by address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/code/symbols/elf_image.hpp"

namespace prof::symbols {

struct Symbol {
  std::uint64_t address = 0;  // as linked
  std::uint64_t size = 0;     // 0: up to the next one
  std::string_view name;      // mangled; points into the table
};

// After sort(), several threads may read the table.
class SymbolTable {
 public:
  // Adds function symbols of .symtab, .dynsym and .gnu_debugdata, and entries of the procedure
  // linkage table as "function@plt".
  void add(const ElfImage& image);
  // Adds lines "address size name" (hexadecimal), which JIT compilers write to /tmp/perf-PID.map.
  void add_perf_map(std::string_view text);
  // Sorts the functions. Call it after the last add and before the first find.
  void sort();

  // Returns the function at an address, or null.
  const Symbol* find(std::uint64_t address) const;
  std::size_t size() const { return symbols_.size(); }

 private:
  struct Entry {
    std::uint64_t address = 0, size = 0;
    std::size_t name = 0, name_size = 0;  // in names_
    int rank = 0;  // of several symbols at an address, the one with the highest rank is kept
  };
  void add_section(const Section& symbols, const Section& strings);
  void add_linkage_table(const ElfImage& image);
  void add_interpreter_part(const ElfImage& image);
  void add_entry(std::uint64_t address, std::uint64_t size, std::string_view name, int rank);

  std::vector<Entry> entries_;
  std::vector<Symbol> symbols_;
  std::string names_;
};

}  // namespace prof::symbols
