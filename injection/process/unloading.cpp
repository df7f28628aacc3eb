// Reports unloaded libraries: the address range and the time are stored for the collector.
// Otherwise earlier samples would count for code that is later loaded into the same place. dlopen
// need not be wrapped: it uses addresses where no code is.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>

#include "injection/core/clock.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/wrap.hpp"
#include "injection/core/syscalls.hpp"

namespace {

using namespace prof;
using core::g_process;

struct Code {
  std::uint64_t start, end;
};

// Only the most recently loaded libraries are watched: others are seldom unloaded.
constexpr std::uint64_t kMaxLibraries = 128;

struct Libraries {
  Code code[kMaxLibraries];
  std::uint64_t all = 0;      // number of loaded libraries
  std::uint64_t seen = 0;     // visited in this walk
  std::uint64_t count = 0;    // used entries of `code`
  std::uint64_t removed = 0;  // unloaded by the loader since the start
};

Code code_of(const dl_phdr_info& library) {
  for (std::size_t i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = library.dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uint64_t start = library.dlpi_addr + part.p_vaddr;
    return {start, start + part.p_memsz};
  }
  return {0, 0};
}

int count(dl_phdr_info* library, std::size_t, void* data) {
  auto& libraries = *static_cast<Libraries*>(data);
  ++libraries.all;
  libraries.removed = library->dlpi_subs;
  return 0;
}

int list(dl_phdr_info* library, std::size_t, void* data) {
  auto& libraries = *static_cast<Libraries*>(data);
  const bool is_one_of_the_last = libraries.seen++ + kMaxLibraries >= libraries.all;
  if (is_one_of_the_last && libraries.count < kMaxLibraries)
    libraries.code[libraries.count++] = code_of(*library);
  return 0;
}

// Removes the libraries that are still loaded from the list.
int forget_loaded(dl_phdr_info* library, std::size_t, void* data) {
  auto& libraries = *static_cast<Libraries*>(data);
  const Code code = code_of(*library);
  for (std::uint64_t i = 0; i < libraries.count; ++i)
    if (libraries.code[i].start == code.start) libraries.code[i] = {0, 0};
  return 0;
}

void publish(const Code& code) {
  wire::ProcessSlot& slot = core::own_slot();
  const std::uint64_t number = slot.unloaded_count.fetch_add(1, std::memory_order_relaxed);
  wire::UnloadedCode& place = slot.unloaded[number % wire::kUnloadedCodes];
  // Pairs with the collector's loads: a reader that finds the same time before and after has read
  // one consistent entry.
  place.time.store(0, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_release);
  place.start.store(code.start, std::memory_order_relaxed);
  place.end.store(code.end, std::memory_order_relaxed);
  place.serial.store(core::g_live.self.serial, std::memory_order_relaxed);
  place.time.store(core::now(), std::memory_order_release);
}

bool is_wanted() {
  constexpr std::uint32_t kNeedsIt =
      wire::kFeatureCpuSampling | wire::kFeatureOsrtStacks | wire::kFeatureCudaStacks;
  return g_process.arena != nullptr && core::has_feature(kNeedsIt) &&
         !g_process.sandboxed.load(std::memory_order_relaxed) &&
         core::sys::getpid() == core::g_live.self.pid;
}

}  // namespace

PROF_REAL_SLOT(dlclose, nullptr)
PROF_WRAPPER(dlclose, int, (void* handle)) {
  const auto real = PROF_REAL(dlclose, int, (void*));
  if (!is_wanted()) return real(handle);
  Libraries before;
  dl_iterate_phdr(count, &before);
  dl_iterate_phdr(list, &before);
  const int result = real(handle);
  Libraries after;
  dl_iterate_phdr(count, &after);
  if (after.removed == before.removed) return result;
  dl_iterate_phdr(forget_loaded, &before);
  for (std::uint64_t i = 0; i < before.count; ++i)
    if (before.code[i].end != 0) publish(before.code[i]);
  return result;
}
