// Looks for libraries that may become clients, before any of them has called CUPTI: those that
// import the function that subscribes, and those that are known to look it up.
#include <elf.h>
#include <link.h>

#include <cstring>

#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/clients/host.hpp"

namespace prof::cuda::clients {

namespace {

constexpr const char* kKnown[] = {"xla_cuda_plugin", "libproton"};

constinit std::atomic<bool> g_expects_client{false};

struct Tables {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const std::uint32_t* hash = nullptr;  // DT_GNU_HASH
};

template <class Table>
const Table* at(const dl_phdr_info& object, std::uintptr_t address) {
  // The loader adds an object's address to its table, except in the vdso.
  if (address < object.dlpi_addr) address += object.dlpi_addr;
  return reinterpret_cast<const Table*>(address);
}

Tables tables_of(const dl_phdr_info& object, const ElfW(Dyn) * entries) {
  Tables found;
  for (const ElfW(Dyn)* entry = entries; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) found.strings = at<char>(object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) found.symbols = at<ElfW(Sym)>(object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_GNU_HASH) found.hash = at<std::uint32_t>(object, entry->d_un.d_ptr);
  }
  return found;
}

bool needs_cupti(const ElfW(Dyn) * entries, const char* strings) {
  for (const ElfW(Dyn)* entry = entries; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED &&
        std::strncmp(strings + entry->d_un.d_val, "libcupti.so", 11) == 0)
      return true;
  return false;
}

// The symbols that an object imports are those before the first one in its hash table.
bool imports_subscription(const Tables& tables) {
  const std::uint32_t imports = tables.hash[1];
  for (std::uint32_t i = 1; i < imports; ++i)
    if (std::strncmp(tables.strings + tables.symbols[i].st_name, "cuptiSubscribe", 14) == 0)
      return true;
  return false;
}

bool is_known(const char* path) {
  const char* slash = path == nullptr ? nullptr : std::strrchr(path, '/');
  if (slash == nullptr) return false;
  for (const char* name : kKnown)
    if (std::strncmp(slash + 1, name, std::strlen(name)) == 0) return true;
  return false;
}

int is_future_client(dl_phdr_info* object, std::size_t, void*) {
  if (is_known(object->dlpi_name)) return 1;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entries =
        reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    const Tables tables = tables_of(*object, entries);
    if (tables.strings == nullptr || tables.symbols == nullptr || tables.hash == nullptr) return 0;
    return needs_cupti(entries, tables.strings) && imports_subscription(tables) ? 1 : 0;
  }
  return 0;
}

}  // namespace

void expect_client() { g_expects_client.store(true, std::memory_order_relaxed); }

bool may_have_clients() {
  return g_expects_client.load(std::memory_order_relaxed) || are_present() ||
         dl_iterate_phdr(is_future_client, nullptr) != 0;
}

}  // namespace prof::cuda::clients
