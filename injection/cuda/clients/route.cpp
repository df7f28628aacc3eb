#include "injection/cuda/clients/route.hpp"

#include <cstring>

#include "common/wire/handshake.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/live.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::clients {

namespace {

constinit std::atomic<bool> g_serves{false};
constinit std::atomic<std::uint32_t> g_live{0};  // the live word of the process that serves

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};

bool is_cupti_name(const char* name) { return std::strncmp(name, "libcupti.so", 11) == 0; }

void* find_loaded(const char* name) { return dlopen(name, RTLD_LAZY | RTLD_NOLOAD); }

// Returns the library that the caller names as needed.
void* needed_cupti(const link_map& caller) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = caller.l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  if (strings == nullptr) return nullptr;
  for (const ElfW(Dyn)* entry = caller.l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && is_cupti_name(strings + entry->d_un.d_val))
      return find_loaded(strings + entry->d_un.d_val);
  return nullptr;
}

// Only copies the path, because dlopen() must not run while the loader's lock is held.
int find_cupti_file(dl_phdr_info* info, std::size_t, void* out) {
  const char* slash = info->dlpi_name == nullptr ? nullptr : std::strrchr(info->dlpi_name, '/');
  if (slash == nullptr || !is_cupti_name(slash + 1)) return 0;
  const std::size_t length = std::strlen(info->dlpi_name);
  if (length >= 1024) return 0;
  std::memcpy(out, info->dlpi_name, length + 1);
  return 1;
}

bool is_serving_process() {
  return core::live_word() == g_live.load(std::memory_order_relaxed) ||
         core::sys::getpid() == g_state.pid;
}

}  // namespace

bool is_shared() {
  const core::ProcessState& process = core::g_process;
  // In a session on demand (prof launch) our subscription comes and goes, so clients use CUPTI
  // themselves.
  return process.arena != nullptr && core::has_feature(wire::kFeatureCuda) &&
         !core::has_feature(wire::kFeatureDormancy) &&
         (process.config.cuda.flags & wire::kCudaAlone) == 0;
}

void serve() {
  g_live.store(core::live_word(), std::memory_order_relaxed);
  g_serves.store(is_shared(), std::memory_order_release);
}

void stop_serving() { g_serves.store(false, std::memory_order_release); }

Route route(bool begins) {
  // This comes first, because external ids are pushed and popped for each operator of PyTorch.
  if (g_serves.load(std::memory_order_acquire) &&
      core::live_word() == g_live.load(std::memory_order_relaxed)) [[likely]]
    return Route::kClient;
  if (!is_shared()) return Route::kReal;
  // A program that only asks whether there is a libcupti does not get one through prof.
  if (begins && !g_serves.load(std::memory_order_acquire) && loaded_cupti(nullptr) != nullptr) {
    expect_client();
    start_once();
  }
  if (!g_serves.load(std::memory_order_acquire)) return Route::kReal;
  return is_serving_process() ? Route::kClient : Route::kForkChild;
}

namespace {

// A cache of the clients of the last code places that called: the address, and in the low byte the
// number of the client, counted from 1. A library that is unloaded stays in it, like its client.
constexpr unsigned kRouteSlots = 64;
constexpr unsigned kNumberBits = 8;
PROF_SELDOM constinit std::atomic<std::uint64_t> g_places[kRouteSlots]{};

std::atomic<std::uint64_t>& place_of(std::uint64_t code) {
  return g_places[code / 4 % kRouteSlots];
}

Caller find_caller(const void* code) {
  const link_map* library = core::object_at(code);
  if (library == g_cupti_library) return {nullptr, true};
  static const link_map kNowhere{};  // for code that no library contains
  return {client_of(library == nullptr ? &kNowhere : library), false};
}

}  // namespace

Caller caller_at(const void* code) {
  const auto address = reinterpret_cast<std::uint64_t>(code);
  std::atomic<std::uint64_t>& place = place_of(address);
  const std::uint64_t known = place.load(std::memory_order_relaxed);
  if (known >> kNumberBits == address)
    return {&g_clients[(known & ((1U << kNumberBits) - 1)) - 1], false};
  const Caller caller = find_caller(code);
  if (caller.client != nullptr)
    place.store(address << kNumberBits | (index_of(*caller.client) + 1), std::memory_order_relaxed);
  return caller;
}

void* loaded_cupti(const link_map* caller) {
  if (caller != nullptr)
    if (void* library = needed_cupti(*caller)) return library;
  for (const char* name : kNames)
    if (void* library = find_loaded(name)) return library;
  char path[1024] = "";
  return dl_iterate_phdr(find_cupti_file, path) == 0 ? nullptr : find_loaded(path);
}

void* RealFunction::get(const char* name, const void* code) {
  const link_map* caller = core::object_at(code);
  if (library.load(std::memory_order_acquire) == caller && caller != nullptr)
    return address.load(std::memory_order_relaxed);
  void* cupti = loaded_cupti(caller);
  void* found = cupti == nullptr ? nullptr : look_up(cupti, name);
  const void* nobody = nullptr;
  if (found != nullptr && library.load(std::memory_order_relaxed) == nullptr) {
    address.store(found, std::memory_order_relaxed);
    library.compare_exchange_strong(nobody, caller, std::memory_order_release);
  }
  return found;
}

void* OwnFunction::get(const char* name) {
  void* found = address.load(std::memory_order_relaxed);
  if (found == nullptr && g_cupti_library != nullptr) {
    found = look_up(const_cast<void*>(g_cupti_library), name);
    address.store(found, std::memory_order_relaxed);
  }
  return found;
}

bool has_cupti(const void* code) { return loaded_cupti(core::object_at(code)) != nullptr; }

}  // namespace prof::cuda::clients
