#include "injection/libraries/real_function.hpp"

#include <errno.h>

#include <cstring>

#include "injection/core/symbols/loader.hpp"

namespace prof::libraries {

namespace {

using core::find_object;
bool is_ours(const void* address) {
  dl_find_object object;
  dl_find_object us;
  return find_object(address, object) && find_object(reinterpret_cast<void*>(&is_ours), us) &&
         object.dlfo_link_map == us.dlfo_link_map;
}

// Returns whether the file name begins with lib<library><rest>.
bool is_called(const char* path, const char* library, const char* rest) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  const std::size_t length = std::strlen(library);
  return std::strncmp(name, "lib", 3) == 0 && std::strncmp(name + 3, library, length) == 0 &&
         std::strncmp(name + 3 + length, rest, std::strlen(rest)) == 0;
}

bool is_of_library(const void* address, const char* library) {
  dl_find_object object;
  return find_object(address, object) && is_called(object.dlfo_link_map->l_name, library, "");
}

// Looks up the name in a loaded object and in the objects it is linked to.
void* look_up(const char* path, const char* name) {
  void* object = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return nullptr;
  void* found = dlsym(object, name);
  dlclose(object);
  // The scope of the main program is the global scope, in which our definition comes first.
  return found != nullptr && !is_ours(found) ? found : nullptr;
}

void* look_up_as(const void* caller, const char* name) {
  dl_find_object object;
  return find_object(caller, object) ? look_up(object.dlfo_link_map->l_name, name) : nullptr;
}

// Finds the loaded objects with a matching name one at a time, because nothing may be opened while
// dl_iterate_phdr holds its lock.
struct Search {
  const char* library;  // null: any object
  const char* rest;
  std::size_t skip;
  char path[4096];
};

int visit(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const char* path = info->dlpi_name;
  const std::size_t length = std::strlen(path);
  if (length == 0 || length >= sizeof search.path) return 0;
  if (search.library != nullptr && !is_called(path, search.library, search.rest)) return 0;
  if (search.skip-- > 0) return 0;
  std::memcpy(search.path, path, length + 1);
  return 1;
}

void* look_everywhere(const char* name, const char* library, const char* rest) {
  Search search;
  search.library = library;
  search.rest = rest;
  for (std::size_t i = 0;; ++i) {
    search.skip = i;
    if (dl_iterate_phdr(visit, &search) == 0) return nullptr;
    if (void* found = look_up(search.path, name)) return found;
  }
}

void* find(const char* name, const void* caller, const char* library) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found != nullptr && !is_of_library(found, library)) return found;
  if (void* own = look_up_as(caller, name)) return own;
  if (found == nullptr) found = look_everywhere(name, library, ".so");
  if (found == nullptr) found = look_everywhere(name, library, "");
  if (found == nullptr) found = look_everywhere(name, nullptr, nullptr);
  return found;
}

void keep_loaded(const void* function) {
  dl_find_object object;
  if (find_object(function, object)) dlopen(object.dlfo_link_map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace

std::uint32_t Callers::add(const void* address) {
  dl_find_object object;
  if (!find_object(address, object)) return 0;
  if (const std::uint32_t known = find(address)) return known;
  if (count_.load(std::memory_order_relaxed) + 1 >= kMaxCallers) return 0;
  const std::uint32_t index = count_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (index >= kMaxCallers) return 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(object.dlfo_map_start);
  objects_[index].size = reinterpret_cast<std::uintptr_t>(object.dlfo_map_end) - begin;
  objects_[index].begin.store(begin, std::memory_order_release);
  return index;
}

void* find_real_function(const char* name, const void* caller, const char* library) {
  const int saved = errno;
  void* found = find(name, caller, library);
  if (found != nullptr) keep_loaded(found);
  dlerror();  // clears an error of the calls above: the program must not see it
  errno = saved;
  return found;
}

}  // namespace prof::libraries
