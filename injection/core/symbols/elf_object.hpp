// Reads the tables of a loaded object that are needed to look up symbols.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace prof::core {

std::uint32_t gnu_hash(const char* name);

// The definition of a symbol in an object.
struct ElfSymbol {
  void* address = nullptr;  // null: the object does not define it
  bool is_plain = false;    // a plain function
  bool is_libcs = false;    // it has a version of glibc
};

// The tables. See DT_GNU_HASH in the ELF specification.
struct ElfObject {
  std::uintptr_t base;
  const ElfW(Sym) * symbols;
  const char* strings;
  const std::uint32_t* hash_table;           // null: the object has no symbols
  const std::uint16_t* versions;             // null: the object has none
  const ElfW(Verdef) * version_definitions;  // null: none; versions of others may be used
  const ElfW(Verneed) * version_needs;       // versions of others that it uses
  const ElfW(Dyn) * dynamic;

  // Reads the tables. `base` is what the loader added to the addresses in the file.
  static ElfObject of(std::uintptr_t base, const ElfW(Dyn) * dynamic);

  // Returns the symbol that the loader takes for this name and version. A null version is the
  // default one.
  ElfSymbol find(const char* name, const char* version, std::uint32_t hash) const;

  // True if the object needs `other`, by the name under which objects were linked to it. `path` is
  // where `other` was loaded from.
  bool needs(const ElfObject& other, const char* path) const;

  // Returns the version that a use of the symbol asks for. Null: any version.
  const char* version_asked(std::uint32_t symbol) const;

 private:
  const char* version_named(std::uint16_t entry) const;
  bool is_version(std::uint16_t entry, const char* version) const;
};

}  // namespace prof::core
