#include "collector/attach/target_memory.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <span>
#include <sstream>

#include "common/base/proc_file.hpp"

namespace prof::attach {

namespace {

std::optional<Mapping> parse_line(const std::string& line) {
  Mapping mapping;
  char permissions[8] = {};
  unsigned long begin = 0, end = 0, offset = 0, inode = 0;
  int path_at = 0;
  if (std::sscanf(line.c_str(), "%lx-%lx %7s %lx %*s %lu %n", &begin, &end, permissions, &offset,
                  &inode, &path_at) < 5)
    return std::nullopt;
  mapping.begin = begin;
  mapping.end = end;
  mapping.offset = offset;
  mapping.inode = inode;
  mapping.is_executable = permissions[2] == 'x';
  if (path_at > 0 && static_cast<std::size_t>(path_at) < line.size())
    mapping.path = line.substr(static_cast<std::size_t>(path_at));
  return mapping;
}

std::uint32_t gnu_hash(const std::string& name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

// The symbol tables of a module for one look-up. The look-up ends if a part cannot be read.
class Symbols {
 public:
  Symbols(const ptrace::Memory& memory, const Module& module) : memory_(memory) {
    Elf64_Ehdr header{};
    if (!memory.read(module.begin, header)) return;
    std::uint64_t lowest = ~std::uint64_t{0}, dynamic = 0;
    for (unsigned i = 0; i < header.e_phnum && i < 64; ++i) {
      Elf64_Phdr part{};
      if (!memory.read(module.begin + header.e_phoff + i * sizeof part, part)) return;
      if (part.p_type == PT_LOAD) lowest = std::min(lowest, part.p_vaddr & ~std::uint64_t{4095});
      if (part.p_type == PT_DYNAMIC) dynamic = part.p_vaddr;
    }
    base_ = module.begin - lowest;
    for (std::uint64_t at = base_ + dynamic; dynamic != 0; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry{};
      if (!memory.read(at, entry) || entry.d_tag == DT_NULL) break;
      // The loader replaces these addresses by those in memory, except in the vDSO.
      const std::uint64_t value =
          entry.d_un.d_ptr < module.begin ? base_ + entry.d_un.d_ptr : entry.d_un.d_ptr;
      if (entry.d_tag == DT_SYMTAB) symbols_ = value;
      if (entry.d_tag == DT_STRTAB) strings_ = value;
      if (entry.d_tag == DT_GNU_HASH) hashes_ = value;
      if (entry.d_tag == DT_VERSYM) versions_ = value;
    }
  }

  std::optional<std::uint64_t> find(const std::string& name) const {
    if (symbols_ == 0 || strings_ == 0 || hashes_ == 0) return std::nullopt;
    std::uint32_t table[4];  // number of buckets, first symbol, words of the filter, its shift
    if (!memory_.read(hashes_, table) || table[0] == 0) return std::nullopt;
    const std::uint32_t hash = gnu_hash(name);
    const std::uint64_t buckets = hashes_ + sizeof table + std::uint64_t{table[2]} * 8;
    const std::uint64_t chains = buckets + std::uint64_t{table[0]} * 4;
    std::uint32_t i = 0;
    if (!memory_.read(buckets + hash % table[0] * 4, i) || i < table[1]) return std::nullopt;
    for (;; ++i) {
      std::uint32_t entry = 0;
      if (!memory_.read(chains + std::uint64_t{i - table[1]} * 4, entry)) return std::nullopt;
      if ((entry | 1) == (hash | 1))
        if (const auto found = value_of(i, name)) return found;
      if ((entry & 1) != 0) return std::nullopt;
    }
  }

 private:
  std::optional<std::uint64_t> value_of(std::uint32_t i, const std::string& name) const {
    Elf64_Sym symbol{};
    std::uint16_t version = 0;
    constexpr std::uint16_t kHidden = 0x8000;
    if (!memory_.read(symbols_ + i * sizeof symbol, symbol) || symbol.st_shndx == SHN_UNDEF ||
        memory_.read_text(strings_ + symbol.st_name, name.size() + 1) != name)
      return std::nullopt;
    if (versions_ != 0 && (!memory_.read(versions_ + i * 2, version) || (version & kHidden) != 0))
      return std::nullopt;
    return base_ + symbol.st_value;
  }

  const ptrace::Memory& memory_;
  std::uint64_t base_ = 0, symbols_ = 0, strings_ = 0, hashes_ = 0, versions_ = 0;
};

}  // namespace

bool TargetMemory::read_mappings() {
  mappings_.clear();
  modules_.clear();
  std::ifstream file(base::proc_path(thread_, "maps"));
  for (std::string line; std::getline(file, line);) {
    auto mapping = parse_line(line);
    if (!mapping) continue;
    const bool is_file = !mapping->path.empty() && mapping->path[0] == '/' && mapping->inode != 0;
    const bool continues = is_file && !modules_.empty() && modules_.back().path == mapping->path &&
                           mapping->offset != 0;
    if (continues)
      modules_.back().end = mapping->end;
    else if (is_file && mapping->offset == 0)
      modules_.push_back({mapping->path, mapping->begin, mapping->end, mapping->inode});
    mappings_.push_back(std::move(*mapping));
  }
  return !mappings_.empty();
}

const Module* TargetMemory::module_named(const std::string& begin_of_name) const {
  for (const Module& module : modules_)
    if (module.file_name().starts_with(begin_of_name)) return &module;
  return nullptr;
}

const Module* TargetMemory::module_at(std::uint64_t address) const {
  for (const Module& module : modules_)
    if (module.has(address)) return &module;
  return nullptr;
}

const Mapping* TargetMemory::mapping_at(std::uint64_t address) const {
  for (const Mapping& mapping : mappings_)
    if (mapping.has(address)) return &mapping;
  return nullptr;
}

std::optional<std::vector<std::uint64_t>> TargetMemory::stack_words(
    std::uint64_t stack_pointer, std::uint64_t most_bytes) const {
  const Mapping* stack = mapping_at(stack_pointer);
  if (stack == nullptr) return {};
  std::vector<std::uint64_t> words(std::min(stack->end - stack_pointer, most_bytes) /
                                   sizeof(std::uint64_t));
  if (!memory_.read(stack_pointer, std::as_writable_bytes(std::span(words)))) return {};
  return words;
}

std::optional<std::uint64_t> TargetMemory::find(const Module& module,
                                                const std::string& name) const {
  return Symbols(memory_, module).find(name);
}

std::optional<std::uint64_t> TargetMemory::find_code(const Module& module,
                                                     const std::string& bytes) const {
  for (const Mapping& mapping : mappings_) {
    if (!mapping.is_executable || !module.has(mapping.begin)) continue;
    std::string code(mapping.end - mapping.begin, '\0');
    if (!memory_.read(mapping.begin, std::as_writable_bytes(std::span(code)))) continue;
    const std::size_t at = code.find(bytes);
    if (at != std::string::npos) return mapping.begin + at;
  }
  return std::nullopt;
}

}  // namespace prof::attach
