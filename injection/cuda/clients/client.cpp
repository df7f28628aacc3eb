#include "injection/cuda/clients/client.hpp"

#include <link.h>

#include <cstring>

#include "injection/core/layout.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/scoped.hpp"

namespace prof::cuda::clients {

PROF_SELDOM constinit Client g_clients[kMaxClients]{};
constinit Lock g_configuration{};
constinit std::atomic<bool> g_present{false};
constinit std::atomic<std::uint32_t> g_direct_domains{CUPTI_CB_DOMAIN_RUNTIME_API};

std::uint64_t file_name_of(const link_map& library) {
  const char* path = library.l_name;
  if (path == nullptr || *path == '\0') return core::intern("main program");
  const char* slash = std::strrchr(path, '/');
  return core::intern(slash == nullptr ? path : slash + 1);
}

Client* client_of(const void* library) {
  for (Client& client : g_clients) {
    const void* owner = client.library.load(std::memory_order_acquire);
    if (owner == library) return &client;
    if (owner != nullptr) continue;
    if (!client.library.compare_exchange_strong(owner, library, std::memory_order_acq_rel)) {
      if (owner == library) return &client;
      continue;
    }
    const std::uint64_t name = file_name_of(*static_cast<const link_map*>(library));
    client.name.store(name, std::memory_order_relaxed);
    core::report_each(wire::DiagnosticCode::kCuptiShared, name);
    if (is_scoped()) return &client;  // CUPTI itself serves it
    g_present.store(true, std::memory_order_release);
    g_direct_domains.store(CUPTI_CB_DOMAIN_INVALID, std::memory_order_relaxed);
    return &client;
  }
  return nullptr;
}

bool Windows::has_correlation(std::uint32_t id) const {
  const std::uint32_t oldest = count < kMaximum ? 0 : count - kMaximum;
  for (std::uint32_t i = count; i-- > oldest;) {
    const Window& window = last[i % kMaximum];
    if (id >= window.first) return id <= window.last;
  }
  return false;
}

bool Windows::has_time(std::uint64_t time) const {
  const std::uint32_t known = count < kMaximum ? count : kMaximum;
  for (std::uint32_t i = 0; i < known; ++i)
    if (time >= last[i].begin && time <= last[i].end) return true;
  return false;
}

}  // namespace prof::cuda::clients
