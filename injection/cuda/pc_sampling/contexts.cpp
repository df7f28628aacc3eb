// Which contexts are sampled: from their creation, or from the first call that uses them if they
// are older than the recording, to their end. One thread at a time deals with samples. A callback
// of CUPTI waits for it only for a limited time, because the other thread may wait for CUPTI.
#include "injection/core/layout.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/clients/lock.hpp"
#include "injection/cuda/pc_sampling/pc_sampling.hpp"

namespace prof::cuda::pc {

namespace {

enum class Phase : std::uint32_t {
  kFree,     // an unused entry
  kClaimed,  // being filled in
  kWanted,   // the thread enables it
  kOn,
  kOff,  // refused, or ended by an error
};

struct Entry {
  std::atomic<Phase> phase;
  SampledContext context;
};

constexpr std::size_t kMostContexts = 64;
PROF_SELDOM constinit Entry g_entries[kMostContexts]{};
constinit clients::Lock g_lock{};
constinit std::atomic<bool> g_yields{false};
constinit std::atomic<bool> g_has_unloaded{false};  // since samples were read

constexpr int kPatience = 2000;      // ms, at the end of a context or of the recording
constexpr int kShortPatience = 100;  // ms, before a module is loaded

// The lock, if it was free in time. Calls of CUPTI in between are not recorded.
class LockedFor {
 public:
  explicit LockedFor(int milliseconds) : inside_(core::t_state.in_cupti) {
    core::t_state.in_cupti = true;
    for (int i = 0; !(holds_ = g_lock.try_acquire()) && i < milliseconds; ++i)
      core::sys::sleep_ns(1'000'000);
  }
  ~LockedFor() {
    if (holds_) g_lock.release();
    core::t_state.in_cupti = inside_;
  }
  LockedFor(const LockedFor&) = delete;
  explicit operator bool() const { return holds_; }

 private:
  bool inside_;
  bool holds_ = false;
};

Entry* claim(CUcontext handle, std::uint32_t id, std::uint32_t device) {
  for (Entry& entry : g_entries) {
    Phase phase = Phase::kFree;
    if (!entry.phase.compare_exchange_strong(phase, Phase::kClaimed, std::memory_order_acq_rel))
      continue;
    // The memory of a former context is used again.
    Buffer* const configured = entry.context.configured;
    Buffer* const read = entry.context.read;
    Reasons* const reasons = entry.context.reasons;
    const bool is_same_device = entry.context.device == device;
    const bool has_own_size = entry.context.has_own_size;
    entry.context = {};
    entry.context.handle = handle;
    entry.context.id = id;
    entry.context.device = device;
    entry.context.period = core::g_process.config.cuda.pc_sampling;
    // GPUs can have different stall reasons.
    if (is_same_device) {
      entry.context.configured = configured;
      entry.context.read = read;
      entry.context.reasons = reasons;
      entry.context.has_own_size = has_own_size;
    }
    return &entry;
  }
  return nullptr;
}

// CUPTI accepts a second context of a GPU, but then both return errors only (13.0 on an H200).
bool is_device_free(const Entry& wanted) {
  for (const Entry& entry : g_entries)
    if (entry.phase.load(std::memory_order_acquire) == Phase::kOn &&
        entry.context.device == wanted.context.device)
      return false;
  return true;
}

// Begins to sample a context. The caller has the lock.
void begin(Entry& entry) {
  load_counter_libraries();
  if (!is_device_free(entry)) {
    entry.phase.store(Phase::kOff, std::memory_order_release);
    return core::report(wire::DiagnosticCode::kPcSamplingOtherContext, entry.context.device);
  }
  if (!enable(entry.context) || !start_draining())
    entry.phase.store(Phase::kOff, std::memory_order_release);
  else
    entry.phase.store(Phase::kOn, std::memory_order_release);
}

bool may_sample() {
  return is_wanted() && !g_yields.load(std::memory_order_relaxed) &&
         !core::g_process.sandboxed.load(std::memory_order_relaxed);
}

void on_created(CUcontext handle) {
  std::uint32_t id = 0, device = 0;
  if (!may_sample() || !PROF_CUPTI(cuptiGetContextId, handle, &id) ||
      !PROF_CUPTI(cuptiGetDeviceId, handle, &device))
    return;
  Entry* entry = claim(handle, id, device);
  if (entry == nullptr) return;
  if (const LockedFor lock(kPatience); lock)
    begin(*entry);
  else
    entry->phase.store(Phase::kOff, std::memory_order_release);
}

void on_end(CUcontext handle) {
  for (Entry& entry : g_entries) {
    const Phase phase = entry.phase.load(std::memory_order_acquire);
    if (phase <= Phase::kClaimed || entry.context.handle != handle) continue;
    const LockedFor lock(kPatience);
    if (lock && entry.phase.load(std::memory_order_acquire) == Phase::kOn)
      disable(entry.context, Ends::kContext);
    entry.phase.store(lock ? Phase::kFree : Phase::kOff, std::memory_order_release);
  }
}

// Reads all contexts and sends cubins. The caller has the lock.
void read_all() {
  for (Entry& entry : g_entries) {
    const Phase phase = entry.phase.load(std::memory_order_acquire);
    if (phase == Phase::kWanted)
      begin(entry);
    else if (phase == Phase::kOn && !read(entry.context))
      entry.phase.store(Phase::kOff, std::memory_order_release);
  }
  send_cubins();
}

// CUPTI tells instructions apart by address. Before a module takes the place of another one, the
// samples of that one are read.
void on_loaded(const CUpti_ModuleResourceData& module) {
  if (g_has_unloaded.exchange(false, std::memory_order_relaxed))
    if (const LockedFor lock(kShortPatience); lock) read_all();
  if (core::g_process.config.cuda.cubins != wire::CudaCubins::kNone)
    keep_cubin(module.pCubin, module.cubinSize);
}

bool has_functions() {
  return g_cupti.cuptiPCSamplingEnable != nullptr && g_cupti.cuptiPCSamplingDisable != nullptr &&
         g_cupti.cuptiPCSamplingSetConfigurationAttribute != nullptr &&
         g_cupti.cuptiPCSamplingGetNumStallReasons != nullptr &&
         g_cupti.cuptiPCSamplingGetStallReasons != nullptr &&
         g_cupti.cuptiPCSamplingGetData != nullptr && g_cupti.cuptiGetCubinCrc != nullptr &&
         g_cupti.cuptiGetDeviceId != nullptr;
}

}  // namespace

void enable_callbacks() {
  if (!is_wanted()) return;
  if (!has_functions())
    return core::report(wire::DiagnosticCode::kPcSamplingMissing, g_cupti.version);
  for (const auto id :
       {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
        CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING})
    g_cupti.cuptiEnableCallback(1, g_state.subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
}

bool on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  switch (id) {
    case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
      on_created(data.context);
      return true;
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      on_end(data.context);
      return true;
    case CUPTI_CBID_RESOURCE_MODULE_LOADED:
      if (data.resourceDescriptor != nullptr)
        on_loaded(*static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor));
      return true;
    case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      g_has_unloaded.store(true, std::memory_order_relaxed);
      return true;
    default:
      return false;
  }
}

void add_existing(CUcontext context, std::uint32_t id, std::uint32_t device) {
  if (!may_sample() || !has_functions()) return;
  for (const Entry& entry : g_entries)
    if (entry.phase.load(std::memory_order_acquire) > Phase::kClaimed && entry.context.id == id)
      return;
  Entry* entry = claim(context, id, device);
  if (entry == nullptr) return;
  entry->phase.store(Phase::kWanted, std::memory_order_release);
  if (start_draining()) wake_drain();
}

void drain() {
  const LockedFor lock(kPatience);
  if (!lock) return;
  if (is_wanted() && is_active()) return read_all();
  for (Entry& entry : g_entries)
    if (entry.phase.load(std::memory_order_acquire) == Phase::kOn) discard(entry.context);
}

namespace {

// Sends what is left of cubins.
void send_last_cubins() {
  constexpr int kTries = 20;  // of some 50 ms each
  for (int i = 0; i < kTries && !send_cubins(); ++i) {
  }
  report_missing_cubins();
}

}  // namespace

// Sampling stays on: cuptiPCSamplingDisable hangs beside launches of other threads (CUDA 13.0 on an
// H200), and so would the program.
void pause() {
  if (!is_wanted()) return;
  const LockedFor lock(kPatience);
  if (!lock) return;
  read_all();
  send_last_cubins();
}

void end() {
  if (!is_wanted()) return;
  stop_draining();
  const LockedFor lock(kPatience);
  if (!lock) return;
  for (Entry& entry : g_entries) {
    const Phase phase = entry.phase.load(std::memory_order_acquire);
    if (phase == Phase::kOn) disable(entry.context, Ends::kRecording);
    if (phase >= Phase::kWanted) entry.phase.store(Phase::kFree, std::memory_order_release);
  }
  send_last_cubins();
}

bool is_sampling() {
  for (const Entry& entry : g_entries)
    if (entry.phase.load(std::memory_order_acquire) == Phase::kOn) return true;
  return false;
}

void yield() { g_yields.store(true, std::memory_order_relaxed); }

}  // namespace prof::cuda::pc
