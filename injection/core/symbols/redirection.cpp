#include "injection/core/symbols/redirection.hpp"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "injection/core/symbols/machine/relocations.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

namespace {

constexpr std::uintptr_t kProtectedPage = 4096;

// An object that uses functions of others, and its pointers. `protected_*` are the whole pages that
// the loader makes read-only.
struct PointerUser {
  ElfObject tables;
  std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
  std::uintptr_t protected_begin = 0, protected_end = 0;
  const ElfW(Rela) * pointers[2] = {};
  std::size_t counts[2] = {};

  bool has(std::uintptr_t address) const { return address >= begin && address < end; }
  bool is_protected(std::uintptr_t address) const {
    return address >= protected_begin && address < protected_end;
  }
};

const ElfW(Dyn) * read_segments(const dl_phdr_info& info, PointerUser& object) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + part.p_vaddr;
    const std::uintptr_t end = begin + part.p_memsz;
    if (part.p_type == PT_LOAD) {
      object.begin = std::min(object.begin, begin);
      object.end = std::max(object.end, end);
    } else if (part.p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    } else if (part.p_type == PT_GNU_RELRO) {
      object.protected_begin = begin & ~(kProtectedPage - 1);
      object.protected_end = end & ~(kProtectedPage - 1);
    }
  }
  return dynamic;
}

void read_pointers(PointerUser& object) {
  for (const ElfW(Dyn)* entry = object.tables.dynamic; entry->d_tag != DT_NULL; ++entry) {
    const auto value = entry->d_un.d_ptr;
    if (entry->d_tag == DT_RELA) object.pointers[0] = reinterpret_cast<const ElfW(Rela)*>(value);
    if (entry->d_tag == DT_RELASZ) object.counts[0] = value / sizeof(ElfW(Rela));
    if (entry->d_tag == DT_JMPREL) object.pointers[1] = reinterpret_cast<const ElfW(Rela)*>(value);
    if (entry->d_tag == DT_PLTRELSZ) object.counts[1] = value / sizeof(ElfW(Rela));
  }
}

// Makes the protected pages of an object writable when they are needed, until its own end.
class WritablePointers {
 public:
  explicit WritablePointers(const PointerUser& object) : object_(object) {}
  ~WritablePointers() {
    if (is_open_) protect(PROT_READ);
  }
  WritablePointers(const WritablePointers&) = delete;
  WritablePointers& operator=(const WritablePointers&) = delete;
  bool open() { return is_open_ = is_open_ || protect(PROT_READ | PROT_WRITE); }

 private:
  bool protect(int protection) {
    return sys::call(SYS_mprotect, static_cast<long>(object_.protected_begin),
                     static_cast<long>(object_.protected_end - object_.protected_begin),
                     protection) == 0;
  }
  const PointerUser& object_;
  bool is_open_ = false;
};

struct PointerWalk {
  const Redirection& redirection;
  std::uintptr_t address;
  std::size_t changed = 0;
};

void redirect(const PointerUser& object, PointerWalk& walk) {
  WritablePointers writable(object);
  for (int table = 0; table < 2; ++table) {
    const ElfW(Rela)* const entries = object.pointers[table];
    for (std::size_t i = 0; entries != nullptr && i < object.counts[table]; ++i) {
      const auto type = ELF64_R_TYPE(entries[i].r_info);
      if (type != kJumpSlot && type != kGlobalPointer) continue;
      const ElfW(Sym)& symbol = object.tables.symbols[ELF64_R_SYM(entries[i].r_info)];
      const std::uintptr_t place = object.tables.base + entries[i].r_offset;
      if (symbol.st_shndx != SHN_UNDEF && !walk.redirection.own_functions) continue;
      if (place % sizeof place != 0 || !object.has(place)) continue;
      void* const instead = walk.redirection.instead(object.tables.strings + symbol.st_name);
      if (instead == nullptr) continue;
      auto& pointer = *reinterpret_cast<std::uintptr_t*>(place);
      if (pointer == 0 || (object.is_protected(place) && !writable.open())) continue;
      std::atomic_ref(pointer).store(reinterpret_cast<std::uintptr_t>(instead),
                                     std::memory_order_release);
      ++walk.changed;
    }
  }
}

int redirect_one(dl_phdr_info* info, std::size_t, void* data) {
  auto& walk = *static_cast<PointerWalk*>(data);
  PointerUser object;
  const ElfW(Dyn)* const dynamic = read_segments(*info, object);
  if (dynamic == nullptr || (walk.address != 0 && !object.has(walk.address))) return 0;
  object.tables = ElfObject::of(info->dlpi_addr, dynamic);
  const auto* const strings = object.tables.strings;
  // These are small numbers in an object whose tables are not relocated, such as the vDSO.
  if (object.tables.symbols == nullptr || strings == nullptr ||
      !object.has(reinterpret_cast<std::uintptr_t>(strings)) ||
      !walk.redirection.changes(object.tables))
    return 0;
  read_pointers(object);
  redirect(object, walk);
  return 0;
}

}  // namespace

std::size_t redirect_pointers(const Redirection& redirection, const void* address) {
  PointerWalk walk{redirection, reinterpret_cast<std::uintptr_t>(address)};
  dl_iterate_phdr(redirect_one, &walk);
  return walk.changed;
}

}  // namespace prof::core
