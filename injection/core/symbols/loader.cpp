#include "injection/core/symbols/loader.hpp"

#include <cstddef>
#include <cstdint>

namespace prof::core {

namespace {

struct Search {
  std::uintptr_t address;
  std::uintptr_t begin;
  std::uintptr_t end;
  const void* dynamic;
};

int visit(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  search.begin = UINTPTR_MAX;
  search.end = 0;
  search.dynamic = nullptr;
  for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) search.dynamic = reinterpret_cast<const void*>(begin);
    if (header.p_type != PT_LOAD) continue;
    if (begin < search.begin) search.begin = begin;
    if (begin + header.p_memsz > search.end) search.end = begin + header.p_memsz;
  }
  return search.address >= search.begin && search.address < search.end ? 1 : 0;
}

}  // namespace

bool find_object(const void* address, dl_find_object& found) {
  if (&_dl_find_object != nullptr) return _dl_find_object(const_cast<void*>(address), &found) == 0;
  Search search{};
  search.address = reinterpret_cast<std::uintptr_t>(address);
  if (!runs_on_glibc() || dl_iterate_phdr(visit, &search) == 0) return false;
  for (link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    if (map->l_ld != search.dynamic) continue;
    found.dlfo_link_map = map;
    found.dlfo_map_start = reinterpret_cast<void*>(search.begin);
    found.dlfo_map_end = reinterpret_cast<void*>(search.end);
    return true;
  }
  return false;
}

}  // namespace prof::core
