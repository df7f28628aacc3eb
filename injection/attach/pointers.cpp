#include "injection/attach/pointers.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "injection/attach/maps.hpp"
#include "injection/attach/own_functions.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/symbols/elf_object.hpp"
#include "injection/core/symbols/object_walk.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::attach {

namespace {

using core::ElfObject;

constexpr std::uintptr_t kPage = 4096;

// The pointers that lead to prof, and their former targets. The entries are found by the pointer's
// address.
struct Change {
  std::uintptr_t place;  // 0: free
  std::uintptr_t original;
};
constexpr std::size_t kPlaces = 1 << 17;
constinit core::LazyArray<Change, kPlaces> g_changes;
std::size_t g_used;

Change* find_change(Change* changes, std::uintptr_t place) {
  std::size_t at = (place >> 3) * 0x9e3779b97f4a7c15 >> 47;
  while (changes[at].place != 0 && changes[at].place != place) at = (at + 1) % kPlaces;
  return &changes[at];
}

// One object and its pointers.
struct Object {
  const char* name;
  ElfObject symbols;
  std::uintptr_t begin, end;                      // bounds of its memory
  std::uintptr_t protected_begin, protected_end;  // RELRO, whole pages
  const ElfW(Rela) * tables[2];  // the table of all pointers, and the table of those bound lazily
  std::size_t counts[2];

  bool has(std::uintptr_t address) const { return address >= begin && address < end; }
  bool is_protected(std::uintptr_t address) const {
    return address >= protected_begin && address < protected_end;
  }
};

void read_segments(const dl_phdr_info& info, Object& object, const ElfW(Dyn) * &dynamic) {
  object.begin = ~std::uintptr_t{0};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    const std::uintptr_t begin = info.dlpi_addr + part.p_vaddr;
    const std::uintptr_t end = begin + part.p_memsz;
    if (part.p_type == PT_LOAD) {
      if (begin < object.begin) object.begin = begin;
      if (end > object.end) object.end = end;
    } else if (part.p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    } else if (part.p_type == PT_GNU_RELRO) {
      // Computes the pages as the loader does. The last page stays writable if only a part of it is
      // protected.
      object.protected_begin = begin & ~(kPage - 1);
      object.protected_end = end & ~(kPage - 1);
    }
  }
}

void read_tables(const ElfW(Dyn) * dynamic, Object& object) {
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    const auto value = entry->d_un.d_ptr;
    switch (entry->d_tag) {
      case DT_RELA:
        object.tables[0] = reinterpret_cast<const ElfW(Rela)*>(value);
        break;
      case DT_RELASZ:
        object.counts[0] = value / sizeof(ElfW(Rela));
        break;
      case DT_JMPREL:
        object.tables[1] = reinterpret_cast<const ElfW(Rela)*>(value);
        break;
      case DT_PLTRELSZ:
        object.counts[1] = value / sizeof(ElfW(Rela));
        break;
      default:
        break;
    }
  }
}

// True for libc and the loader, whose calls are not made by the program, and for prof.
bool is_exempt(const Object& object) {
  const char* slash = std::strrchr(object.name, '/');
  const char* file = slash == nullptr ? object.name : slash + 1;
  return std::strncmp(file, "ld-linux", 8) == 0 || std::strncmp(file, "libc.so", 7) == 0 ||
         std::strncmp(file, "linux-", 6) == 0 || std::strncmp(file, "libprof_", 8) == 0 ||
         is_ours(reinterpret_cast<const void*>(object.begin));
}

bool describe(const dl_phdr_info& info, Object& object) {
  object = {};
  object.name = info.dlpi_name;
  const ElfW(Dyn)* dynamic = nullptr;
  read_segments(info, object, dynamic);
  if (dynamic == nullptr || object.begin >= object.end) return false;
  object.symbols = ElfObject::of(info.dlpi_addr, dynamic);
  read_tables(dynamic, object);
  // These are small numbers in an object whose tables are not relocated yet.
  return object.symbols.symbols != nullptr && object.symbols.strings != nullptr &&
         object.has(reinterpret_cast<std::uintptr_t>(object.symbols.strings)) && !is_exempt(object);
}

bool is_in_loading(const Object& object, const Maps& maps) {
  return object.protected_begin < object.protected_end &&
         !maps.is_read_only(object.protected_begin, object.protected_end);
}

// Makes the protected part of an object writable while this object exists.
class Unprotected {
 public:
  explicit Unprotected(const Object& object) : object_(object) {}
  ~Unprotected() {
    if (done_) protect(PROT_READ);
  }
  Unprotected(const Unprotected&) = delete;
  Unprotected& operator=(const Unprotected&) = delete;
  bool now() { return done_ = done_ || protect(PROT_READ | PROT_WRITE); }

 private:
  bool protect(int protection) {
    return core::sys::call(SYS_mprotect, static_cast<long>(object_.protected_begin),
                           static_cast<long>(object_.protected_end - object_.protected_begin),
                           protection) == 0;
  }
  const Object& object_;
  bool done_ = false;
};

bool can_write(std::uintptr_t place, const Object& object, const Maps& maps,
               Unprotected& unprotected) {
  if (object.is_protected(place)) return unprotected.now();
  return maps.is_writable(place, place + sizeof(std::uintptr_t));
}

bool exchange(std::uintptr_t place, std::uintptr_t from, std::uintptr_t to) {
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): no object is at 0
  return std::atomic_ref(*reinterpret_cast<std::uintptr_t*>(place))
      .compare_exchange_strong(from, to, std::memory_order_acq_rel);
}

template <class Visit>
void for_each_pointer(const Object& object, Visit visit) {
  for (int table = 0; table < 2; ++table) {
    const ElfW(Rela)* const entries = object.tables[table];
    if (entries == nullptr) continue;
    for (std::size_t i = 0; i < object.counts[table]; ++i) {
      const auto type = ELF64_R_TYPE(entries[i].r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const std::uintptr_t place = object.symbols.base + entries[i].r_offset;
      if (place % sizeof place != 0 || !object.has(place)) continue;
      visit(place, static_cast<std::uint32_t>(ELF64_R_SYM(entries[i].r_info)),
            type == R_X86_64_JUMP_SLOT);
    }
  }
}

struct Patching {
  const Maps& maps;
  Patched result;
};

// True if the pointer leads to the real function, or to code of its object that will find that
// function. The pointer leads elsewhere if another function of this name comes first for this
// object.
bool leads_to(std::uintptr_t value, const Wrapper& wrapper, const Object& object, bool may_be_lazy,
              const ElfW(Sym) & symbol) {
  if (value == reinterpret_cast<std::uintptr_t>(wrapper.real)) return true;
  return may_be_lazy && symbol.st_shndx == SHN_UNDEF && object.has(value);
}

void patch_object(const Object& object, Patching& patching) {
  Unprotected unprotected(object);
  for_each_pointer(object, [&](std::uintptr_t place, std::uint32_t index, bool may_be_lazy) {
    const ElfW(Sym)& symbol = object.symbols.symbols[index];
    const char* name = object.symbols.strings + symbol.st_name;
    const auto value =
        std::atomic_ref(*reinterpret_cast<std::uintptr_t*>(place)).load(std::memory_order_acquire);
    if (is_ours(reinterpret_cast<const void*>(value))) {
      ++patching.result.pointers;
      return;
    }
    const Wrapper wrapper = find_wrapper(name, object.symbols.version_asked(index));
    if (wrapper.ours == nullptr || wrapper.real == nullptr ||
        !leads_to(value, wrapper, object, may_be_lazy, symbol))
      return;
    Change* const changes = g_changes.get();
    if (changes == nullptr || g_used > kPlaces / 2) return;
    if (!can_write(place, object, patching.maps, unprotected)) return;
    Change* const change = find_change(changes, place);
    g_used += change->place == 0;
    *change = {place, value};
    if (exchange(place, value, reinterpret_cast<std::uintptr_t>(wrapper.ours)))
      ++patching.result.pointers;
  });
}

int patch(dl_phdr_info* info, std::size_t, void* data) {
  auto& patching = *static_cast<Patching*>(data);
  Object object;
  if (!describe(*info, object)) return 0;
  if (is_in_loading(object, patching.maps))
    ++patching.result.left_out;
  else
    patch_object(object, patching);
  return 0;
}

struct Restoring {
  const Maps& maps;
  std::uint64_t left = 0;
};

int restore(dl_phdr_info* info, std::size_t, void* data) {
  auto& restoring = *static_cast<Restoring*>(data);
  Object object;
  if (!describe(*info, object)) return 0;
  Unprotected unprotected(object);
  for_each_pointer(object, [&](std::uintptr_t place, std::uint32_t, bool) {
    const std::uintptr_t value = *reinterpret_cast<std::uintptr_t*>(place);
    if (!is_ours(reinterpret_cast<const void*>(value))) return;
    const Change* const change = find_change(g_changes.get(), place);
    if (change->place != place || !can_write(place, object, restoring.maps, unprotected) ||
        !exchange(place, value, change->original))
      ++restoring.left;
  });
  return 0;
}

}  // namespace

Patched patch_pointers() {
  const Maps maps;
  if (!maps.is_valid()) return {};
  Patching patching{maps, {}};
  core::walk_objects(patch, &patching);
  return patching.result;
}

std::uint64_t restore_pointers() {
  if (g_changes.get_if_used() == nullptr) return 0;
  const Maps maps;
  Restoring restoring{maps};
  core::walk_objects(restore, &restoring);
  return restoring.left;
}

}  // namespace prof::attach
