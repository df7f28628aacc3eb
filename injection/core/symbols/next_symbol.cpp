#include "injection/core/symbols/next_symbol.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "injection/core/symbols/elf_object.hpp"
#include "injection/core/symbols/loader.hpp"

namespace prof::core {

namespace {

constexpr std::size_t kMaxObjects = 64;
struct Object {
  ElfObject tables;
  const char* path;
};
Object g_objects[kMaxObjects];
std::size_t g_count;
const char* g_library;

ElfObject tables_of(const link_map& map) { return ElfObject::of(map.l_addr, map.l_ld); }

// The vDSO is not in the search order, and its addresses are not relocated.
bool is_vdso(const link_map& map) { return std::strncmp(map.l_name, "linux-", 6) == 0; }

// Does not use dladdr(), which compares all of our symbols to find the nearest one.
link_map* own_link_map() { return object_at(reinterpret_cast<const void*>(&find_next)); }

link_map* first_link_map() {
  link_map* map = own_link_map();
  while (map != nullptr && map->l_prev != nullptr) map = map->l_prev;
  return map;
}

bool is_needed(const ElfObject& object, const char* path) {
  for (const link_map* map = first_link_map(); map != nullptr; map = map->l_next)
    if (!is_vdso(*map) && tables_of(*map).needs(object, path)) return true;
  return false;
}

template <std::size_t kCount>
bool is_file(const char* path, const char* const (&beginnings)[kCount]) {
  const char* const slash = std::strrchr(path, '/');
  const char* const file = slash == nullptr ? path : slash + 1;
  for (const char* beginning : beginnings)
    if (std::strncmp(file, beginning, std::strlen(beginning)) == 0) return true;
  return false;
}

// True for sanitizers, which check arguments of libc's functions.
bool is_sanitizer(const char* path) {
  return is_file(path, {"libasan.so", "libhwasan.so", "liblsan.so", "libtsan.so", "libubsan.so",
                        "libclang_rt."});
}

// True for libraries that programs are linked to, and that replace functions of libc
// (pthread_create, mmap, open) as a preloaded library does.
bool replaces_libcs(const char* path) {
  return is_file(path, {"libjemalloc", "libtcmalloc", "libmimalloc", "libdarshan"});
}

Definition definition_of(const ElfSymbol& symbol, const ElfObject& object, const char* path) {
  void* const address = symbol.is_plain ? symbol.address : nullptr;
  if (symbol.is_libcs || is_sanitizer(path)) return {address, Owner::kLibc};
  const bool is_own = !replaces_libcs(path) && is_needed(object, path);
  return {address, is_own ? Owner::kLinked : Owner::kPreloaded};
}

// Returns the definition of the name in the object, if it is a suitable one.
Definition find_in(const ElfObject& object, const char* path, const char* name, const char* version,
                   std::uint32_t hash, Owner needed) {
  const ElfSymbol symbol = object.find(name, version, hash);
  if (symbol.address == nullptr) return {};
  const Definition found = definition_of(symbol, object, path);
  return needed == Owner::kAnyone || needed == found.owner ? found : Definition{};
}

}  // namespace

bool note_next_objects() {
  link_map* map = own_link_map();
  if (map == nullptr) return false;
  g_library = map->l_name;
  std::size_t count = 0;
  for (map = map->l_next; map != nullptr; map = map->l_next) {
    if (is_vdso(*map)) continue;
    const ElfObject object = tables_of(*map);
    if (count == kMaxObjects || object.hash_table == nullptr) return false;
    g_objects[count++] = {object, map->l_name};
  }
  g_count = count;
  return count != 0;
}

bool was_loaded_late() {
  const link_map* map = own_link_map();
  if (map == nullptr) return false;
  for (; map != nullptr; map = map->l_prev)
    if (std::strstr(map->l_name, "/libc.so.6") != nullptr) return true;
  return false;
}

Definition find_first(const char* name, const char* version, Owner needed) {
  const link_map* const own = own_link_map();
  const std::uint32_t hash = gnu_hash(name);
  for (const link_map* map = first_link_map(); map != nullptr; map = map->l_next) {
    if (is_vdso(*map) || map == own) continue;
    const ElfObject object = tables_of(*map);
    if (object.hash_table == nullptr) continue;
    const Definition found = find_in(object, map->l_name, name, version, hash, needed);
    if (found.owner != Owner::kAnyone) return found;
  }
  return {};
}

void* find_own(const char* name, const char* version) {
  const link_map* map = own_link_map();
  return map == nullptr ? nullptr : tables_of(*map).find(name, version, gnu_hash(name)).address;
}

const char* library_path() { return g_library; }

Definition find_next(const char* name, const char* version, Owner needed) {
  const std::uint32_t hash = gnu_hash(name);
  for (std::size_t i = 0; i < g_count; ++i) {
    const Object& object = g_objects[i];
    const Definition found = find_in(object.tables, object.path, name, version, hash, needed);
    if (found.owner != Owner::kAnyone) return found;
  }
  return {};
}

void* find_loaded_later(const char* name, const char* version) {
  const link_map* map = own_link_map();
  const std::uint32_t hash = gnu_hash(name);
  for (map = map == nullptr ? nullptr : map->l_next; map != nullptr; map = map->l_next) {
    if (is_vdso(*map)) continue;
    const ElfObject object = tables_of(*map);
    if (object.hash_table == nullptr) continue;
    const ElfSymbol found = object.find(name, version, hash);
    if (found.is_plain) return found.address;
  }
  return nullptr;
}

bool may_be_defined(const char* name) {
  const link_map* map = first_link_map();
  if (map == nullptr) return true;
  const std::uint32_t hash = gnu_hash(name);
  for (; map != nullptr; map = map->l_next) {
    if (is_vdso(*map)) continue;
    const ElfObject object = tables_of(*map);
    if (object.hash_table == nullptr || object.find(name, nullptr, hash).address != nullptr)
      return true;
  }
  return false;
}

}  // namespace prof::core
