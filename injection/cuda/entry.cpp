// The entry point for CUDA. The driver calls InitializeInjection in cuInit, before the first
// context exists, no matter how the program loaded CUDA (static cudart, dlopen'ed libcuda).
// Subscribing comes first: a process has only one subscriber, and only the subscriber gets records.
// If a library of the program uses CUPTI before cuInit, its first call also starts prof's trace.
#include <stdlib.h>

#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/cuda_names.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thread_id.hpp"
#include "injection/core/thread_state.hpp"
#include "injection/cuda/call_words.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/clients/route.hpp"
#include "injection/cuda/kernels/launches.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"
#include "injection/cuda/scoped.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

constinit State g_state{};

bool is_active() {
  return g_state.active.load(std::memory_order_acquire) && core::sys::getpid() == g_state.pid;
}

bool check(CuptiFunction function, CUptiResult result) {
  static std::atomic<std::uint64_t> reported;  // one bit for each function
  if (result == CUPTI_SUCCESS) return true;
  const std::uint64_t bit = std::uint64_t{1} << static_cast<std::uint32_t>(function);
  if ((reported.fetch_or(bit, std::memory_order_relaxed) & bit) == 0)
    core::report_each(
        wire::DiagnosticCode::kCuptiFailed,
        (static_cast<std::uint64_t>(function) << 32) | static_cast<std::uint32_t>(result));
  return false;
}

void trace_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  switch (domain) {
    case CUPTI_CB_DOMAIN_RUNTIME_API:
    case CUPTI_CB_DOMAIN_DRIVER_API: {
      const auto& call = *static_cast<const CUpti_CallbackData*>(data);
      on_api_call(domain, id, call, *call.correlationData);
      break;
    }
    case CUPTI_CB_DOMAIN_RESOURCE:
      on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
      break;
    case CUPTI_CB_DOMAIN_STATE:
      on_state(*static_cast<const CUpti_StateData*>(data));
      break;
    default:
      break;
  }
}

namespace {

[[gnu::noinline]] void on_other_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                         const void* data) {
  if (clients::are_present())
    clients::dispatch(domain, id, data);
  else
    trace_callback(domain, id, data);
}

// Without clients, one comparison recognises the calls of the API, so that clients cost our tracer
// nothing before they exist.
void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                          const void* data) {
  if (static_cast<std::uint32_t>(domain) <= clients::direct_domains()) [[likely]] {
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    return on_api_call(domain, id, call, *call.correlationData);
  }
  on_other_callback(domain, id, data);
}

// In a session of prof kernel, which measures launches between their entry and their exit.
void CUPTIAPI on_kernel_callback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void* data) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return on_callback(user, domain, id, data);
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  const bool is_entry = call.callbackSite == CUPTI_API_ENTER;
  if (!is_entry) kernels::after_call(id, call);
  on_callback(user, domain, id, data);
  if (is_entry) kernels::before_call(id, call);
}

// Beside other subscribers. A driver call inside of a runtime call is not recorded.
void CUPTIAPI on_scoped_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void* data) {
  if (static_cast<std::uint32_t>(domain) > CUPTI_CB_DOMAIN_RUNTIME_API)
    return trace_callback(domain, id, data);
  const core::ThreadState& t = core::t_state;
  if (t.in_cupti || (domain == CUPTI_CB_DOMAIN_DRIVER_API && t.cuda_depth != 0)) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  CallWord word({0, domain, call.correlationId}, call.callbackSite);
  on_api_call(domain, id, call, *word);
}

// Subscribes with a name, which a later tool can read. Sets `holder` to the name of the tool that
// subscribed before prof.
CUptiResult subscribe_by_name(char (&holder)[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN]) {
  const CUpti_CallbackFunc function = kernels::is_on() ? on_kernel_callback : on_callback;
  if (g_cupti.cuptiSubscribe_v2 == nullptr)
    return g_cupti.cuptiSubscribe(&g_state.subscriber, function, nullptr);
  CUpti_SubscriberParams parameters{};
  // The parameters of newer versions belong to the functions that have a subscriber.
  parameters.structSize = v2::kFirstParamsSize;
  parameters.subscriberName = "prof";
  parameters.oldSubscriberName = holder;
  parameters.oldSubscriberSize = sizeof holder;
  return g_cupti.cuptiSubscribe_v2(&g_state.subscriber, function, nullptr, &parameters);
}

// Subscribes as the only subscriber, which passes records on to clients.
bool subscribe_alone() {
  static bool shared;
  if (!shared && clients::is_shared()) clients::share();
  shared = true;
  char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = {};
  const CUptiResult result = subscribe_by_name(holder);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    holder[sizeof holder - 1] = '\0';
    core::report(wire::DiagnosticCode::kCuptiTaken, holder[0] == '\0' ? 0 : core::intern(holder));
    return false;
  }
  return check(CuptiFunction::k_cuptiSubscribe, result);
}

bool subscribe() { return subscribe_beside_others(on_scoped_callback) || subscribe_alone(); }

uint64_t CUPTIAPI timestamp() { return core::monotonic_raw(); }

struct ClockReading {
  std::uint64_t before;
  std::uint64_t theirs;
  std::uint64_t after;
};

ClockReading read_both_clocks() {
  ClockReading reading{};
  reading.before = core::monotonic_raw();
  g_cupti.cuptiGetTimestamp(&reading.theirs);
  reading.after = core::monotonic_raw();
  return reading;
}

// Returns how far CUPTI's clock is ahead of ours, in ns. A reading during which the thread lost its
// CPU is wrong by up to half of the time lost, so the shortest of several readings counts.
std::int64_t measure_clock_lag(ClockReading best) {
  for (int i = 0; i < 8; ++i) {
    const ClockReading next = read_both_clocks();
    if (next.after - next.before < best.after - best.before) best = next;
  }
  return static_cast<std::int64_t>(best.theirs - (best.before + best.after) / 2);
}

// Installs our clock in CUPTI. Runs before anything is enabled, because older versions fix the base
// of GPU time early. Reads CUPTI's time afterwards, to check whether CUPTI uses the clock.
void install_clock() {
  if (g_cupti.cuptiActivityRegisterTimestampCallback != nullptr)
    g_cupti.cuptiActivityRegisterTimestampCallback(timestamp);
  const ClockReading first = read_both_clocks();
  if (first.theirs >= first.before && first.theirs <= first.after) return;
  g_state.clock_lag = measure_clock_lag(first);
  core::report(wire::DiagnosticCode::kCudaClock, static_cast<std::uint64_t>(g_state.clock_lag));
}

void flush_for_capture() {
  if (pc::is_wanted()) pc::drain();  // a slice of samples ends with what it is before
  flush(Flush::kForced);
}

void flush_at_exit() {
  stop_flush_timer();
  flush_before_exit();
  pc::stop_draining();  // after a recording that ended before the program
}

bool load() {
  static bool loaded;
  if (loaded) return true;
  switch (load_cupti(core::g_process.config.cuda.cupti)) {
    case LoadResult::kLoaded:
      loaded = true;
      return true;
    case LoadResult::kMissing:
      core::report(wire::DiagnosticCode::kCuptiMissing, 0);
      return false;
    case LoadResult::kTooOld:
      core::report(wire::DiagnosticCode::kCuptiTooOld, g_cupti.version);
      return false;
  }
  return false;
}

// Opens the doors. The exit handler runs before those that were registered earlier, among them the
// driver's. Our destructor would run too late. For _exit and exec, core calls the function.
void open_doors() {
  core::g_doors.before_exit.open(flush_before_exit);
  core::g_doors.flush_capture.open(flush_for_capture);
  core::g_doors.name_cuda_object.open(name_object);
  static std::atomic<bool> registered;
  if (!registered.exchange(true)) atexit(flush_at_exit);
}

// Starts in a dormant session. If the first collection begins while cuInit runs, this finds no
// devices; CUPTI's callback comes in that case.
void start_dormant() {
  open_doors();
  g_state.pid = core::sys::getpid();
  start_switching();
}

void start() {
  if (!enable_cupti()) return;
  clients::serve();
  open_doors();
}

std::atomic<bool> g_is_in_init;  // the driver has called us
bool g_delays_activities;        // see are_activities_delayed()
std::atomic<bool> g_started;
std::atomic<bool> g_finished;          // the start has finished
std::atomic<std::uint32_t> g_starter;  // the thread that starts CUPTI
constexpr long kPatience = 10'000;     // ms

// Waits until another thread has finished the start. Does not wait if this thread was called by the
// start.
void wait_for_start() {
  if (g_starter.load(std::memory_order_relaxed) == core::thread_id()) return;
  for (long i = 0; i < kPatience && !g_finished.load(std::memory_order_acquire); ++i)
    core::sys::sleep_ns(1'000'000);
}

}  // namespace

void start_once() {
  if (g_finished.load(std::memory_order_acquire)) return;
  if (g_started.exchange(true)) return wait_for_start();
  const std::uint64_t begin = core::now();
  g_starter.store(core::thread_id(), std::memory_order_relaxed);
  core::g_doors.find_python();
  const bool is_dormant = core::has_feature(wire::kFeatureDormancy);
  is_dormant ? start_dormant() : start();
  g_finished.store(true, std::memory_order_release);
  if (!is_dormant) core::report_overhead(wire::OverheadKind::kCudaStart, begin, core::now());
}

void forget_start() {
  g_finished.store(false, std::memory_order_release);
  g_started.store(false, std::memory_order_release);
}

namespace {

// Begins a collection with what the one before has left on, see disable_cupti().
bool resume() {
  flush_buffers(Flush::kForced);  // what is older than the collection
  g_state.active.store(true, std::memory_order_release);
  return true;
}

}  // namespace

bool are_activities_delayed() { return g_delays_activities; }

bool enable_cupti() {
  if (g_state.subscriber != nullptr) return resume();
  if (!load()) return false;
  kernels::start();
  if (!subscribe()) return false;
  g_state.pid = core::sys::getpid();
  install_clock();
  g_delays_activities = is_scoped() && g_is_in_init.load(std::memory_order_relaxed);
  if (!g_delays_activities && !enable_activities()) return false;
  enable_api_callbacks();
  enable_resource_callbacks();
  kernels::on_subscribed();
  const bool is_late = core::has_feature(wire::kFeatureDormancy);
  if (is_late) on_init_finished();
  g_state.active.store(true, std::memory_order_release);
  if (is_late) send_kept_names();
  core::report_each(wire::DiagnosticCode::kCudaReady, g_cupti.version);
  return true;
}

void fetch_last_records() {
  if (!g_state.active.load(std::memory_order_acquire)) return;
  const std::uint64_t start = core::now();
  pc::pause();
  flush_buffers(Flush::kForced);
  g_state.active.store(false, std::memory_order_release);
  core::report_overhead(wire::OverheadKind::kCudaFlush, start, core::now(), wire::kLastFlush);
}

// Disables CUPTI. The subscription ends too, so that the program can use another tool in the
// meantime. While instructions are sampled everything stays on and is thrown away: CUPTI 13.0
// refuses to enable activities then, and sampling cannot end beside launches.
void disable_cupti() {
  if (g_state.subscriber == nullptr) return;
  if (pc::is_sampling()) return;
  disable_activities();
  take_back_buffers();
  end_selections();
  if (g_cupti.cuptiUnsubscribe != nullptr) PROF_CUPTI(cuptiUnsubscribe, g_state.subscriber);
  g_state.subscriber = nullptr;
}

}  // namespace prof::cuda

// Called by the driver. A nonzero result keeps the library loaded. Nothing in here may make the
// program's cuInit fail.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace prof;
  if (core::g_process.arena == nullptr || !core::has_feature(wire::kFeatureCuda)) return 1;
  cuda::g_is_in_init.store(true, std::memory_order_relaxed);
  cuda::start_once();
  return 1;
}
