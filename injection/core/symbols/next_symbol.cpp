#include "injection/core/symbols/next_symbol.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

// Weak: musl has no such function, and its loader has to load this library without an error
// (startup/entry.cpp).
#pragma weak _dl_find_object

namespace prof::core {

namespace {

// An entry of the version table is the number of a version, and a bit for "not the default one".
constexpr std::uint16_t kHiddenVersion = 0x8000;
constexpr std::uint16_t kFirstNamedVersion = 2;  // below: no version

// The tables of one object that a look-up reads (DT_GNU_HASH in the ELF specification).
struct Object {
  std::uintptr_t base;
  const ElfW(Sym) * symbols;
  const char* strings;
  const std::uint32_t* hash_table;
  const std::uint16_t* versions;             // null: the object has none
  const ElfW(Verdef) * version_definitions;  // null: the same, but it uses versions of others

  bool is_version(std::uint16_t entry, const char* version) const;
  void* find(const char* name, const char* version, std::uint32_t hash, bool& plain) const;
};

constexpr std::size_t kMaxObjects = 64;
Object g_objects[kMaxObjects];
std::size_t g_count;
const char* g_library;

Object tables_of(const link_map& map) {
  Object object{};
  object.base = map.l_addr;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto address = entry->d_un.d_ptr;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        object.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        break;
      case DT_STRTAB:
        object.strings = reinterpret_cast<const char*>(address);
        break;
      case DT_GNU_HASH:
        object.hash_table = reinterpret_cast<const std::uint32_t*>(address);
        break;
      case DT_VERSYM:
        object.versions = reinterpret_cast<const std::uint16_t*>(address);
        break;
      case DT_VERDEF:  // the only one that the loader does not relocate
        object.version_definitions = reinterpret_cast<const ElfW(Verdef)*>(map.l_addr + address);
        break;
      default:
        break;
    }
  }
  return object;
}

// The vDSO is not in the search order, and its addresses are not relocated.
bool is_vdso(const link_map& map) { return std::strncmp(map.l_name, "linux-", 6) == 0; }

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

// Does the loader take a symbol with this entry for the version? It takes one without a version for
// any. Null is the default version.
bool Object::is_version(std::uint16_t entry, const char* version) const {
  if (version == nullptr || version_definitions == nullptr) return (entry & kHiddenVersion) == 0;
  if (entry < kFirstNamedVersion) return true;
  const char* at = reinterpret_cast<const char*>(version_definitions);
  for (;;) {
    const auto& definition = *reinterpret_cast<const ElfW(Verdef)*>(at);
    if (definition.vd_ndx == (entry & ~kHiddenVersion)) {
      const auto& name = *reinterpret_cast<const ElfW(Verdaux)*>(at + definition.vd_aux);
      return std::strcmp(strings + name.vda_name, version) == 0;
    }
    if (definition.vd_next == 0) return false;
    at += definition.vd_next;
  }
}

// If the name is found, sets `plain` to whether it is a plain function.
void* Object::find(const char* name, const char* version, std::uint32_t hash, bool& plain) const {
  const std::uint32_t buckets = hash_table[0];
  const std::uint32_t first = hash_table[1];
  const std::uint32_t bloom_words = hash_table[2];
  const std::uint32_t shift = hash_table[3];
  const auto* bloom = reinterpret_cast<const std::uint64_t*>(hash_table + 4);
  const std::uint64_t word = bloom[hash / 64 % bloom_words];
  if ((word >> (hash % 64) & word >> ((hash >> shift) % 64) & 1) == 0) return nullptr;
  const auto* bucket = reinterpret_cast<const std::uint32_t*>(bloom + bloom_words);
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t i = bucket[hash % buckets];
  if (i < first) return nullptr;
  for (;; ++i) {
    const std::uint32_t entry = chain[i - first];
    const ElfW(Sym)& symbol = symbols[i];
    if ((entry | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF &&
        std::strcmp(strings + symbol.st_name, name) == 0 &&
        (versions == nullptr || is_version(versions[i], version))) {
      plain = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
      return reinterpret_cast<void*>(base + symbol.st_value);
    }
    if ((entry & 1) != 0) return nullptr;
  }
}

// Null if the loader is too old to ask. Not dladdr(), which compares all of our symbols to find the
// nearest one.
link_map* own_link_map() {
  dl_find_object object_here{};
  if (&_dl_find_object == nullptr ||
      _dl_find_object(reinterpret_cast<void*>(&find_next), &object_here) != 0)
    return nullptr;
  return object_here.dlfo_link_map;
}

}  // namespace

bool note_next_objects() {
  link_map* map = own_link_map();
  if (map == nullptr) return false;
  g_library = map->l_name;
  std::size_t count = 0;
  for (map = map->l_next; map != nullptr; map = map->l_next) {
    if (is_vdso(*map)) continue;
    const Object object = tables_of(*map);
    if (count == kMaxObjects || object.hash_table == nullptr) return false;
    g_objects[count++] = object;
  }
  g_count = count;
  return count != 0;
}

const char* library_path() { return g_library; }

void* find_next(const char* name, const char* version) {
  const std::uint32_t hash = gnu_hash(name);
  for (std::size_t i = 0; i < g_count; ++i) {
    bool plain = true;
    void* found = g_objects[i].find(name, version, hash, plain);
    if (found != nullptr) return plain ? found : nullptr;
  }
  return nullptr;
}

bool may_be_defined(const char* name) {
  const link_map* map = own_link_map();
  if (map == nullptr) return true;
  while (map->l_prev != nullptr) map = map->l_prev;
  const std::uint32_t hash = gnu_hash(name);
  for (; map != nullptr; map = map->l_next) {
    if (is_vdso(*map)) continue;
    const Object object = tables_of(*map);
    bool plain;
    if (object.hash_table == nullptr || object.find(name, nullptr, hash, plain) != nullptr)
      return true;
  }
  return false;
}

}  // namespace prof::core
