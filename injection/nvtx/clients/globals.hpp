// The start of a client's table of function pointers, by which prof recognises the table.
#pragma once

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "injection/nvtx/abi.hpp"

namespace prof::nvtx {

enum InitState : std::uint32_t { kFresh = 0, kStarted = 1, kComplete = 2 };

// The start of nvtxGlobals_t (nvtxInit.h).
struct Globals {
  std::atomic<std::uint32_t> init_state;
  ExportCallbacks callbacks;
  std::size_t version_table_bytes;
  std::uint32_t version;
  std::uint32_t reserved;
  void (*set_injection_version)(std::uint32_t);
};
static_assert(sizeof(Globals) == 48 && offsetof(Globals, callbacks) == 8);

// True if the memory has the values that all such tables have.
bool has_layout(const Globals& at);

struct Range {
  std::uintptr_t begin, end;
  bool has(std::uintptr_t address) const { return address >= begin && address < end; }
  template <class T>
  bool has(T* pointer) const {
    return has(reinterpret_cast<std::uintptr_t>(pointer));
  }
};

// Calls `visit` with each range of the object's variables. The start of a range is aligned to 8
// bytes. With `initialised`, variables that are zero at first are skipped.
template <class Visit>
void for_each_range_of_variables(const dl_phdr_info& object, Visit visit,
                                 bool initialised = false) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = object.dlpi_addr + part.p_vaddr;
    visit(Range{(begin + 7) & ~std::uintptr_t{7},
                begin + (initialised ? part.p_filesz : part.p_memsz)});
  }
}

}  // namespace prof::nvtx
