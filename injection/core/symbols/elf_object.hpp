// The tables of an object that the loader has loaded, as far as look-ups of symbols need them.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace prof::core {

std::uint32_t gnu_hash(const char* name);

// See DT_GNU_HASH in the ELF specification.
struct ElfObject {
  std::uintptr_t base;
  const ElfW(Sym) * symbols;
  const char* strings;
  const std::uint32_t* hash_table;           // null: it has none
  const std::uint16_t* versions;             // null: the object has none
  const ElfW(Verdef) * version_definitions;  // null: the same, but it uses versions of others
  const ElfW(Verneed) * version_needs;       // versions of others that it uses

  // `base` is what the loader added to the addresses in the file.
  static ElfObject of(std::uintptr_t base, const ElfW(Dyn) * dynamic);

  // The symbol that the loader takes for this name and version. Null as version is the default one.
  // `plain` is set if it is found: is it a plain function?
  void* find(const char* name, const char* version, std::uint32_t hash, bool& plain) const;

  // The version that a use of the symbol asks for. Null: any.
  const char* version_asked(std::uint32_t symbol) const;

 private:
  bool is_version(std::uint16_t entry, const char* version) const;
};

}  // namespace prof::core
