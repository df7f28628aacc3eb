// The tables of an object that the loader has loaded, as far as look-ups of symbols need them.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace prof::core {

std::uint32_t gnu_hash(const char* name);

// A definition in an object.
struct ElfSymbol {
  void* address = nullptr;  // null: the object has none
  bool is_plain = false;    // a plain function
  bool is_libcs = false;    // it has a version of glibc
};

// See DT_GNU_HASH in the ELF specification.
struct ElfObject {
  std::uintptr_t base;
  const ElfW(Sym) * symbols;
  const char* strings;
  const std::uint32_t* hash_table;           // null: it has none
  const std::uint16_t* versions;             // null: the object has none
  const ElfW(Verdef) * version_definitions;  // null: the same, but it uses versions of others
  const ElfW(Verneed) * version_needs;       // versions of others that it uses
  const ElfW(Dyn) * dynamic;

  // `base` is what the loader added to the addresses in the file.
  static ElfObject of(std::uintptr_t base, const ElfW(Dyn) * dynamic);

  // The symbol that the loader takes for this name and version. Null as version is the default one.
  ElfSymbol find(const char* name, const char* version, std::uint32_t hash) const;

  // Is it needed by the name under which other objects were linked to it? `path` is where it was
  // loaded from.
  bool needs(const ElfObject& other, const char* path) const;

  // The version that a use of the symbol asks for. Null: any.
  const char* version_asked(std::uint32_t symbol) const;

 private:
  const char* version_named(std::uint16_t entry) const;
  bool is_version(std::uint16_t entry, const char* version) const;
};

}  // namespace prof::core
