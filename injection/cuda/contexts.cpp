// Describes contexts that existed before CUPTI was enabled. CUPTI may not describe them, so prof
// does when an API call uses one.
#include "injection/core/layout.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

constexpr std::uint32_t kMaxContexts = 4096;
// What was done with a context.
constexpr std::uint8_t kDescribed = 1;
constexpr std::uint8_t kOffered = 2;  // to PC sampling
PROF_SELDOM std::atomic<std::uint8_t> g_done[kMaxContexts];

bool device_of_current(std::uint32_t& device) {
  const auto get = PROF_DRIVER_FUNCTION(cuCtxGetDevice);
  CUdevice found = 0;
  if (get == nullptr || get(&found) != CUDA_SUCCESS) return false;
  device = static_cast<std::uint32_t>(found);
  return true;
}

}  // namespace

void forget_contexts() {
  for (auto& each : g_done) each.store(0, std::memory_order_relaxed);
}

void note_context(std::uint32_t id) {
  if (id < kMaxContexts) g_done[id].fetch_or(kDescribed, std::memory_order_relaxed);
}

void describe_context(const CUpti_CallbackData& data) {
  const std::uint32_t id = data.contextUid;
  const std::uint8_t wanted = pc::is_wanted() ? kDescribed | kOffered : kDescribed;
  if (data.context == nullptr || id >= kMaxContexts) return;
  if ((g_done[id].load(std::memory_order_relaxed) & wanted) == wanted) return;
  core::ThreadState& t = core::t_state;
  t.in_cupti = true;  // our own driver calls are not recorded
  std::uint32_t device = 0;
  // The thread is inside a call that uses this context, so it is the current one.
  if (device_of_current(device)) {
    // Another thread may be here for the same context.
    const std::uint8_t done = g_done[id].fetch_or(wanted, std::memory_order_relaxed);
    if ((done & kDescribed) == 0)
      core::append(wire::CudaContextRecord{
          core::header_of<wire::CudaContextRecord>(wire::RecordType::kCudaContext, id), device,
          stream_id(data.context, nullptr, false), 0, 0});
    if ((done & kOffered) == 0) pc::add_existing(data.context, id, device);
  }
  t.in_cupti = false;
}

}  // namespace prof::cuda
