// External correlation ids: a client pushes an id for its thread, and CUPTI reports which CUDA
// calls were made until it is popped. CUPTI keeps one stack for each thread and kind. Two clients
// that use the same kind would hide each other's ids, so the second client gets another kind of the
// few that CUPTI has, and does not notice.
#include "injection/core/thread_state.hpp"
#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/cupti_api.hpp"

namespace prof::cuda::clients {

namespace {

constexpr unsigned kFirst = CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN;
constexpr unsigned kEnd = CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;

// The users of CUPTI's kinds. 0: no user.
constinit std::atomic<std::uint32_t> g_users[kEnd]{};

constexpr std::uint32_t kKindBits = 8;
std::uint32_t user(const Client& client, unsigned kind) {
  return (index_of(client) + 1) << kKindBits | kind;
}

bool takes(unsigned actual, std::uint32_t wanted) {
  std::uint32_t owner = g_users[actual].load(std::memory_order_relaxed);
  if (owner == 0 &&
      g_users[actual].compare_exchange_strong(owner, wanted, std::memory_order_relaxed))
    return true;
  return owner == wanted;
}

// Returns CUPTI's kind for a client's kind; INVALID if all are in use.
CUpti_ExternalCorrelationKind actual_kind(const Client& client, unsigned kind) {
  const std::uint32_t wanted = user(client, kind);
  if (takes(kind, wanted)) return static_cast<CUpti_ExternalCorrelationKind>(kind);
  for (unsigned other = kFirst; other < kEnd; ++other)
    if (g_users[other].load(std::memory_order_relaxed) == wanted)
      return static_cast<CUpti_ExternalCorrelationKind>(other);
  // The last kinds are the least used.
  for (unsigned other = kEnd - 1; other >= kFirst; --other)
    if (takes(other, wanted)) return static_cast<CUpti_ExternalCorrelationKind>(other);
  return CUPTI_EXTERNAL_CORRELATION_KIND_INVALID;
}

bool is_valid(CUpti_ExternalCorrelationKind kind) {
  return static_cast<unsigned>(kind) >= kFirst && static_cast<unsigned>(kind) < kEnd;
}

}  // namespace

CUptiResult push_external_id(Client& client, CUpti_ExternalCorrelationKind kind, std::uint64_t id) {
  if (!is_valid(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  // The thread will make calls, perhaps only calls without callbacks.
  note_thread();
  core::t_state.calls_cuda = true;
  const auto actual = actual_kind(client, kind);
  if (!is_valid(actual)) return CUPTI_ERROR_OUT_OF_MEMORY;
  return g_real.cuptiActivityPushExternalCorrelationId(actual, id);
}

CUptiResult pop_external_id(Client& client, CUpti_ExternalCorrelationKind kind,
                            std::uint64_t* last) {
  if (!is_valid(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  const auto actual = actual_kind(client, kind);
  if (!is_valid(actual)) return CUPTI_ERROR_QUEUE_EMPTY;
  return g_real.cuptiActivityPopExternalCorrelationId(actual, last);
}

ExternalIdOwner owner_of(const CUpti_ActivityExternalCorrelation& record) {
  ExternalIdOwner none{kMaxClients, record.externalKind};
  if (!is_valid(record.externalKind)) return none;
  const std::uint32_t owner = g_users[record.externalKind].load(std::memory_order_relaxed);
  if (owner == 0) return none;
  return {(owner >> kKindBits) - 1,
          static_cast<CUpti_ExternalCorrelationKind>(owner & ((1U << kKindBits) - 1))};
}

}  // namespace prof::cuda::clients
