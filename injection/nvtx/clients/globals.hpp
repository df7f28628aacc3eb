// The begin of a client's table of function pointers, by which it is recognised.
#pragma once

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "injection/nvtx/abi.hpp"

namespace prof::nvtx {

enum InitState : std::uint32_t { kFresh = 0, kStarted = 1, kComplete = 2 };

// The begin of nvtxGlobals_t (nvtxInit.h).
struct Globals {
  std::atomic<std::uint32_t> init_state;
  ExportCallbacks callbacks;
  std::size_t version_table_bytes;
  std::uint32_t version;
  std::uint32_t reserved;
  void (*set_injection_version)(std::uint32_t);
};
static_assert(sizeof(Globals) == 48 && offsetof(Globals, callbacks) == 8);

// Whether it has the values that all such tables have.
bool has_layout(const Globals& at);

struct Range {
  std::uintptr_t begin, end;
  bool has(std::uintptr_t address) const { return address >= begin && address < end; }
  template <class T>
  bool has(T* pointer) const {
    return has(reinterpret_cast<std::uintptr_t>(pointer));
  }
};

inline bool is_of_variables(const ElfW(Phdr) & part) {
  return part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0;
}

}  // namespace prof::nvtx
