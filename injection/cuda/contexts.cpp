// Describes contexts that existed before CUPTI was enabled. CUPTI may not describe them, so prof
// does when an API call uses one.
#include "injection/core/layout.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

constexpr std::uint32_t kMaxContexts = 4096;
PROF_SELDOM std::atomic<bool> g_described[kMaxContexts];

bool device_of_current(std::uint32_t& device) {
  const auto get = reinterpret_cast<decltype(&cuCtxGetDevice)>(driver_symbol("cuCtxGetDevice"));
  CUdevice found = 0;
  if (get == nullptr || get(&found) != CUDA_SUCCESS) return false;
  device = static_cast<std::uint32_t>(found);
  return true;
}

}  // namespace

void forget_contexts() {
  for (std::atomic<bool>& each : g_described) each.store(false, std::memory_order_relaxed);
}

void note_context(std::uint32_t id) {
  if (id < kMaxContexts) g_described[id].store(true, std::memory_order_relaxed);
}

void describe_context(const CUpti_CallbackData& data) {
  const std::uint32_t id = data.contextUid;
  if (data.context == nullptr || id >= kMaxContexts ||
      g_described[id].load(std::memory_order_relaxed))
    return;
  core::ThreadState& t = core::t_state;
  t.in_cupti = true;  // our own driver calls are not recorded
  std::uint32_t device = 0;
  // The thread is inside a call that uses this context, so it is the current one.
  if (device_of_current(device)) {
    note_context(id);
    core::append(wire::CudaContextRecord{
        core::header_of<wire::CudaContextRecord>(wire::RecordType::kCudaContext, id), device,
        stream_id(data.context, nullptr, false), 0, 0});
  }
  t.in_cupti = false;
}

}  // namespace prof::cuda
