// Rows of API calls from CUPTI's records. While a client lets CUPTI record every call, a callback
// of prof would only cost the program additional time. So CUPTI does not call prof for the
// functions that programs call most, and their rows are made from CUPTI's records.
//
// Each call has one owner, callback or record, so that no row is lost or doubled when the client
// comes or goes while threads are inside of calls. Correlation ids decide: calls of an interval
// have rows by record. A thread that enters a call around a bound may not see the bound yet, so the
// thread notes what it has decided. Callbacks are switched off only when no call that belongs to
// them is in progress, and CUPTI's kinds only some time after the client has gone.
#include <initializer_list>

#include "common/wire/handshake.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/process_state.hpp"
#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda::clients {

namespace {

constexpr std::uint64_t kMs = 1'000'000;
// The maximum age of calls in progress. A call that began before there were clients is not counted.
constexpr std::uint64_t kOldCalls = 20 * kMs;
// The time for which calls that were in progress when the client went may still need their records.
constexpr std::uint64_t kLastCalls = 1000 * kMs;

enum class Phase : std::uint32_t {
  kOff,
  kComing,  // new calls have rows by record, but callbacks are still on
  kOn,
  kGoing,  // callbacks are on again, but CUPTI still records calls
};
constinit std::atomic<Phase> g_phase{Phase::kOff};
constinit std::atomic<std::uint64_t> g_due{0};  // the end of the phase

PROF_SELDOM constinit Set<kIds> g_offered[2]{};  // functions by api_index()

// The interval of correlation ids whose calls have rows by record.
struct Interval {
  std::atomic<std::uint32_t> first;
  std::atomic<std::uint32_t> last;
};
constexpr std::uint32_t kIntervals = 8;
constinit Interval g_intervals[kIntervals]{};
constinit std::atomic<std::uint32_t> g_interval_count{0};

bool is_in_interval(std::uint32_t id) {
  const std::uint32_t count = g_interval_count.load(std::memory_order_seq_cst);
  const std::uint32_t oldest = count < kIntervals ? 0 : count - kIntervals;
  for (std::uint32_t i = count; i-- > oldest;) {
    const Interval& interval = g_intervals[i % kIntervals];
    if (id >= interval.first.load(std::memory_order_relaxed))
      return id <= interval.last.load(std::memory_order_acquire);
  }
  return false;
}

void begin_interval(std::uint32_t first) {
  const std::uint32_t count = g_interval_count.load(std::memory_order_relaxed);
  Interval& interval = g_intervals[count % kIntervals];
  interval.last.store(kNotYet, std::memory_order_relaxed);
  interval.first.store(first, std::memory_order_relaxed);
  g_interval_count.store(count + 1, std::memory_order_seq_cst);
}

void end_interval(std::uint32_t last) {
  const std::uint32_t count = g_interval_count.load(std::memory_order_relaxed);
  g_intervals[(count - 1) % kIntervals].last.store(last, std::memory_order_seq_cst);
}

// The decisions about calls around a bound: the id, and above it 1 for a callback, 2 for a record.
constexpr std::uint32_t kNotes = 4096;
constexpr std::uint64_t kByCallback = std::uint64_t{1} << 32;
constexpr std::uint64_t kByRecord = std::uint64_t{2} << 32;
PROF_SELDOM constinit std::atomic<std::uint64_t> g_notes[kNotes]{};

std::atomic<std::uint64_t>& note_of(std::uint32_t id) { return g_notes[id % kNotes]; }

bool is_by_record(std::uint32_t id) {
  const std::uint64_t note = note_of(id).load(std::memory_order_relaxed);
  if (static_cast<std::uint32_t>(note) == id && note != 0) return note > kByRecord;
  return is_in_interval(id);
}

bool is_offered(CUpti_ActivityKind kind, CUpti_CallbackId id) {
  return g_offered[api_index(kind)].has(id);
}

CUpti_ActivityKind kind_of(CUpti_CallbackDomain domain) {
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API ? CUPTI_ACTIVITY_KIND_RUNTIME
                                               : CUPTI_ACTIVITY_KIND_DRIVER;
}

// True if records may replace callbacks. A record has no call chain and no capture range.
bool may_replace_callbacks() {
  return !core::has_feature(wire::kFeatureCaptureRange | wire::kFeatureCudaStacks |
                            wire::kFeaturePythonCuda | wire::kFeatureDormancy);
}

// Shows all calls to prof, because a client may have switched off records of single functions.
void show_hidden_calls() {
  for (const CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER})
    for (CUpti_CallbackId id = 1; id < kIds; ++id) {
      if (!is_offered(kind, id)) continue;
      bool is_hidden = false;
      for_each([&](const Client& client) {
        is_hidden = is_hidden || !client.apis[api_index(kind)].functions.has(id);
      });
      if (is_hidden) show_calls(kind, id);
    }
}

// Switches the callbacks on or off, according to the phase.
void update_callbacks() {
  for (const CUpti_CallbackDomain domain :
       {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API})
    for (CUpti_CallbackId id = 1; id < kIds; ++id)
      if (is_offered(kind_of(domain), id)) update_callback(domain, id);
}

}  // namespace

void offer_call_records(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  g_offered[api_index(kind_of(domain))].set(id, true);
}

bool replaces_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return g_phase.load(std::memory_order_relaxed) == Phase::kOn && is_offered(kind_of(domain), id);
}

bool needs_call_records(CUpti_ActivityKind kind, CUpti_CallbackId id) {
  return g_phase.load(std::memory_order_relaxed) != Phase::kOff && is_offered(kind, id);
}

void begin_call_records() {
  const Phase phase = g_phase.load(std::memory_order_relaxed);
  if (phase == Phase::kComing || phase == Phase::kOn || !may_replace_callbacks()) return;
  show_hidden_calls();
  g_due.store(core::monotonic_raw() + kOldCalls, std::memory_order_relaxed);
  g_phase.store(Phase::kComing, std::memory_order_seq_cst);
  begin_interval(next_correlation() + 1);
}

bool end_call_records() {
  const Phase phase = g_phase.load(std::memory_order_relaxed);
  if (phase == Phase::kOff) return false;
  if (phase == Phase::kGoing) return true;
  g_phase.store(Phase::kGoing, std::memory_order_seq_cst);
  update_callbacks();
  end_interval(next_correlation());
  g_due.store(core::monotonic_raw() + kLastCalls, std::memory_order_relaxed);
  return true;
}

// Decides about a call. The state is kCounted until the decision: either this function sees the
// bound of an interval, or follow_call_records() sees that the call is in progress.
void enter(CUpti_CallbackDomain domain, CUpti_CallbackId id, std::uint32_t correlation,
           std::atomic<CallState>& state) {
  if (!is_offered(kind_of(domain), id))
    return state.store(CallState::kUncounted, std::memory_order_relaxed);
  if (g_phase.load(std::memory_order_relaxed) == Phase::kOff) return;
  const bool by_record = is_by_record(correlation);
  // Until the bound is known, calls are handled as before: by callback while a client comes, by
  // record while it goes.
  const bool may_be_late = by_record == (g_phase.load(std::memory_order_seq_cst) == Phase::kGoing);
  if (may_be_late)
    note_of(correlation)
        .store((by_record ? kByRecord : kByCallback) | correlation, std::memory_order_relaxed);
  if (by_record) state.store(CallState::kByRecord, std::memory_order_relaxed);
}

void forget_call_records() {
  if (g_phase.load(std::memory_order_relaxed) == Phase::kOff) return;
  g_phase.store(Phase::kOff, std::memory_order_relaxed);
  drop_call_kinds();
}

void follow_call_records() {
  const Phase phase = g_phase.load(std::memory_order_relaxed);
  if (phase != Phase::kComing && phase != Phase::kGoing) return;
  const std::uint64_t now = core::monotonic_raw();
  if (now < g_due.load(std::memory_order_relaxed) || !g_configuration.try_acquire()) return;
  if (g_phase.load(std::memory_order_relaxed) == phase) {
    if (phase == Phase::kGoing) {
      g_phase.store(Phase::kOff, std::memory_order_relaxed);
      drop_call_kinds();
    } else if (!are_calls_in_progress()) {
      g_phase.store(Phase::kOn, std::memory_order_seq_cst);
      update_callbacks();
    } else {
      g_due.store(now + kMs, std::memory_order_relaxed);
    }
  }
  g_configuration.release();
}

bool is_row_by_record(const CUpti_ActivityAPI& call) {
  return is_offered(call.kind, call.cbid) && is_by_record(call.correlationId);
}

}  // namespace prof::cuda::clients
