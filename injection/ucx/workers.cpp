#include "injection/ucx/workers.hpp"

#include <errno.h>

#include <atomic>

#include "common/wire/ucx_records.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/core/tables/handle_table.hpp"
#include "injection/libraries/recorder.hpp"
#include "injection/ucx/ucp_abi.hpp"

namespace prof::ucx {

namespace {

// One thread writes these before it sets g_has_functions.
Status (*g_get_address)(Word worker, void** address, std::size_t* length);
void (*g_release_address)(Word worker, void* address);
Status (*g_query)(void* address, AddressFacts* facts);  // from UCX 1.12 on
constinit std::atomic<bool> g_search{false};
constinit std::atomic<bool> g_has_functions{false};

// Endpoints that do not fit have no peer.
constexpr std::size_t kMaxEndpoints = 4096;
struct Endpoint {
  std::atomic<std::uint64_t> peer;
};
constinit core::HandleTable<Endpoint, kMaxEndpoints> g_endpoints{};

const void* key_of(Word endpoint) { return reinterpret_cast<const void*>(endpoint); }

// Returns 0 if it is not known.
std::uint64_t uid_at(void* address) {
  AddressFacts facts{kWantsUid, 0};
  return address != nullptr && g_query(address, &facts) == 0 ? facts.uid : 0;
}

bool has_functions() { return g_has_functions.load(std::memory_order_acquire); }

}  // namespace

void find_functions(void* function) {
  if (g_search.exchange(true, std::memory_order_relaxed)) return;
  const link_map* const map = core::object_at(function);
  void* const object = map == nullptr ? nullptr : dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return;
  g_get_address =
      reinterpret_cast<decltype(g_get_address)>(dlsym(object, "ucp_worker_get_address"));
  g_release_address =
      reinterpret_cast<decltype(g_release_address)>(dlsym(object, "ucp_worker_release_address"));
  g_query = reinterpret_cast<decltype(g_query)>(dlsym(object, "ucp_worker_address_query"));
  dlclose(object);
  dlerror();  // clears an error of the calls above: the program must not see it
  if (g_get_address != nullptr && g_release_address != nullptr && g_query != nullptr)
    g_has_functions.store(true, std::memory_order_release);
}

void define_worker(Word worker) {
  if (!has_functions()) return;
  const int saved = errno;
  void* address = nullptr;
  std::size_t length = 0;
  if (g_get_address(worker, &address, &length) == 0) {
    const std::uint64_t uid = uid_at(address);
    g_release_address(worker, address);
    const wire::UcpWorkerRecord record{{sizeof record, wire::RecordType::kUcpWorker, 0, 0}, uid};
    if (uid != 0) prof_write_library_definition(&record, sizeof record);
  }
  errno = saved;
}

void connect(Word endpoint, Word params) {
  const auto* given = reinterpret_cast<const EndpointParams*>(params);
  if (!has_functions() || (given->mask & kHasRemoteAddress) == 0) return;
  const std::uint64_t peer = uid_at(given->address);
  // UCX frees the endpoints of a worker with it, so the handle may be known.
  Endpoint* entry = g_endpoints.find(key_of(endpoint));
  const bool is_known = entry != nullptr;
  if (!is_known) entry = g_endpoints.reserve(key_of(endpoint));
  if (entry == nullptr) return;
  entry->peer.store(peer, std::memory_order_relaxed);
  if (!is_known) g_endpoints.publish(entry, key_of(endpoint));
}

void disconnect(Word endpoint) {
  if (Endpoint* entry = g_endpoints.find(key_of(endpoint))) g_endpoints.remove(entry);
}

std::uint64_t peer_of(Word endpoint) {
  const Endpoint* entry = g_endpoints.find(key_of(endpoint));
  return entry == nullptr ? 0 : entry->peer.load(std::memory_order_relaxed);
}

}  // namespace prof::ucx
