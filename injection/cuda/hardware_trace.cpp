// The choice between the hardware trace, in which an event unit of the GPU takes the times of
// kernels, copies and fills, and CUPTI's software, which adds work to the streams for that. The
// hardware trace must be switched on before the first context exists, and cannot be switched off.
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/cupti_v2.hpp"
#include "injection/cuda/scoped.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

using wire::TimingReason;

constexpr int kBlackwell = 100;  // compute capability

// CUPTI empties the buffer of the hardware trace (128 MB for each context, about 4 million kernels
// and copies) only at a flush. A program that never waits for the GPU causes none.
constexpr std::uint32_t kLongestPeriod = 100;  // ms

std::atomic<bool> g_hardware_is_on;

// A reason why the hardware trace should not be used, or kSupported.
struct Obstacle {
  TimingReason reason = TimingReason::kSupported;
  std::uint32_t detail = 0;
};

Obstacle find_obstacle(const TimingFacts& facts) {
  if (core::has_feature(wire::kFeatureDormancy)) return {TimingReason::kLate};
  if (facts.oldest < kBlackwell)
    return {TimingReason::kOldGpu, static_cast<std::uint32_t>(facts.oldest)};
  if (g_cupti.version < v2::kHardwareTrace) return {TimingReason::kOldLibrary, g_cupti.version};
  if (facts.has_mig) return {TimingReason::kMig};
  if (facts.has_mps) return {TimingReason::kMps};
  if (clients::want_latencies()) return {TimingReason::kLatencies};
  return {};
}

void say(const Obstacle& why, bool by_hardware) {
  core::report_each(wire::DiagnosticCode::kCudaTiming,
                    std::uint64_t{why.detail} << 32 | (by_hardware ? wire::kTimedByHardware : 0) |
                        static_cast<std::uint64_t>(why.reason));
}

// CUPTI can accept the call and say later, by a message, that it falls back to its software.
CUptiResult request_hardware() {
  for (const auto id :
       {CUPTI_CBID_STATE_FATAL_ERROR, CUPTI_CBID_STATE_ERROR, CUPTI_CBID_STATE_WARNING})
    g_cupti.cuptiEnableCallback(1, g_state.subscriber, CUPTI_CB_DOMAIN_STATE, id);
  g_hardware_is_on.store(true, std::memory_order_relaxed);
  const CUptiResult result = g_cupti.cuptiActivityEnableHWTrace(1);
  const std::uint32_t period = core::g_process.config.cuda.flush_interval;
  if (result != CUPTI_SUCCESS)
    g_hardware_is_on.store(false, std::memory_order_relaxed);
  else if (period > kLongestPeriod && g_cupti.cuptiActivityFlushPeriod != nullptr)
    PROF_CUPTI(cuptiActivityFlushPeriod, kLongestPeriod);
  return result;
}

}  // namespace

bool is_timed_by_hardware() { return g_hardware_is_on.load(std::memory_order_relaxed); }

void choose_timing(const TimingFacts& facts) {
  const std::uint32_t flags = core::g_process.config.cuda.flags;
  if (facts.devices == 0 || is_timed_by_hardware()) return;
  if ((flags & wire::kCudaHardwareTrace) == 0) return say({TimingReason::kOnRequest}, false);
  if (is_scoped()) return say({TimingReason::kSeveralSubscribers}, false);
  if (g_cupti.cuptiActivityEnableHWTrace == nullptr)
    return say({TimingReason::kOldLibrary, g_cupti.version}, false);
  const Obstacle obstacle = find_obstacle(facts);
  if (obstacle.reason != TimingReason::kSupported && (flags & wire::kCudaHardwareForced) == 0)
    return say(obstacle, false);
  if (const CUptiResult result = request_hardware(); result != CUPTI_SUCCESS)
    return say({TimingReason::kRefused, static_cast<std::uint32_t>(result)}, false);
  if (is_timed_by_hardware() && g_cupti.version < v2::kHardwareTrace)
    core::report(wire::DiagnosticCode::kHardwareTraceOld, g_cupti.version);
  say(obstacle, true);
}

// CUPTI may repeat a message often.
void on_state(const CUpti_StateData& state) {
  static std::atomic<std::uint64_t> last;
  const char* text = state.notification.message;
  if (text == nullptr) return;
  const std::uint64_t hash = core::intern(text);
  if (last.exchange(hash, std::memory_order_relaxed) != hash)
    core::report_each(wire::DiagnosticCode::kCuptiMessage, hash);
}

}  // namespace prof::cuda
