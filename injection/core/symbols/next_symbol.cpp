#include "injection/core/symbols/next_symbol.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "injection/core/symbols/elf_object.hpp"
#include "injection/core/symbols/loader.hpp"

namespace prof::core {

namespace {

constexpr std::size_t kMaxObjects = 64;
ElfObject g_objects[kMaxObjects];
std::size_t g_count;
const char* g_library;

ElfObject tables_of(const link_map& map) { return ElfObject::of(map.l_addr, map.l_ld); }

// The vDSO is not in the search order, and its addresses are not relocated.
bool is_vdso(const link_map& map) { return std::strncmp(map.l_name, "linux-", 6) == 0; }

// Not dladdr(), which compares all of our symbols to find the nearest one.
link_map* own_link_map() { return object_at(reinterpret_cast<const void*>(&find_next)); }

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
    g_objects[count++] = object;
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

void* find_first(const char* name, const char* version) {
  const link_map* const own = own_link_map();
  if (own == nullptr) return nullptr;
  const std::uint32_t hash = gnu_hash(name);
  const link_map* map = own;
  while (map->l_prev != nullptr) map = map->l_prev;
  for (; map != nullptr; map = map->l_next) {
    if (is_vdso(*map) || map == own) continue;
    const ElfObject object = tables_of(*map);
    bool plain = true;
    if (object.hash_table == nullptr) continue;
    void* found = object.find(name, version, hash, plain);
    if (found != nullptr) return plain ? found : nullptr;
  }
  return nullptr;
}

void* find_own(const char* name, const char* version) {
  const link_map* map = own_link_map();
  if (map == nullptr) return nullptr;
  bool plain;
  return tables_of(*map).find(name, version, gnu_hash(name), plain);
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

void* find_loaded_later(const char* name, const char* version) {
  const link_map* map = own_link_map();
  const std::uint32_t hash = gnu_hash(name);
  for (map = map == nullptr ? nullptr : map->l_next; map != nullptr; map = map->l_next) {
    if (is_vdso(*map)) continue;
    const ElfObject object = tables_of(*map);
    if (object.hash_table == nullptr) continue;
    bool plain = true;
    void* found = object.find(name, version, hash, plain);
    if (found != nullptr && plain) return found;
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
    const ElfObject object = tables_of(*map);
    bool plain;
    if (object.hash_table == nullptr || object.find(name, nullptr, hash, plain) != nullptr)
      return true;
  }
  return false;
}

}  // namespace prof::core
