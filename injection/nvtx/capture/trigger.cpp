#include "injection/nvtx/capture/trigger.hpp"

#include <atomic>
#include <cstring>

#include "common/wire/hash.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/foreign_threads.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/nvtx/capture/open_ranges.hpp"

namespace prof::nvtx {

namespace {

constexpr std::uint32_t kAnyDomain = 0xffffffff;
constexpr std::uint32_t kNoDomain = 0xfffffffe;  // the trigger's domain is not created yet

// These are written once, before the first range of a client.
bool g_keeps = false;      // open ranges are kept
bool g_watches = false;    // they are, or there is a trigger
bool g_counts = false;     // the trigger is counted while nobody collects, too
std::uint64_t g_text = 0;  // hash; 0: no trigger
std::uint64_t g_domain_name = 0;
std::atomic<std::uint32_t> g_domain{kNoDomain};

// The range that keeps the capture active. A pushed range is identified by thread, domain and
// level, a started range by its id. Of nested ranges with the same name the outermost one counts.
struct PushedRange {
  std::uint32_t tid;
  int level;
  std::uint32_t domain;
};
std::atomic<bool> g_open;
PushedRange g_pushed;
RangeId g_started = 0;

std::uint64_t g_steps = 0;  // counted ranges of this process, with windows
std::uint64_t g_step = 0;   // the number of the open range

// Returns the window that the arena's counter of capture ranges says is next or open, or nullptr.
const wire::StepWindow* window_at(std::uint32_t windows_left) {
  const wire::CaptureConfig& config = core::g_process.config.capture;
  if (windows_left == 0 || windows_left > config.num_windows) return nullptr;
  return &config.windows[config.num_windows - windows_left];
}

std::uint32_t windows_left() {
  return core::g_process.arena->captures_left.load(std::memory_order_relaxed);
}

// True if prof start --at-step has chosen the steps of the next capture range.
bool has_chosen_steps() {
  // Acquire pairs with the release of the collector, which stores the steps before.
  return (core::g_process.arena->triggers.load(std::memory_order_acquire) & wire::kStepTrigger) !=
         0;
}

// With windows, only the first range of the next window begins a capture range. Other processes of
// the session may have recorded it already.
bool begins_capture() {
  if (has_chosen_steps())
    return core::g_process.arena->first_step.load(std::memory_order_relaxed) == g_step;
  if (core::g_process.config.capture.num_windows == 0) return true;
  const wire::StepWindow* next = window_at(windows_left());
  return next != nullptr && next->first == g_step;
}

bool ends_capture() {
  if (has_chosen_steps())
    return core::g_process.arena->last_step.load(std::memory_order_relaxed) == g_step;
  if (core::g_process.config.capture.num_windows == 0) return true;
  const wire::StepWindow* open = window_at(windows_left() + 1);
  return open != nullptr && open->last == g_step;
}

// Reports the number of steps to the collector. A fork child has a slot only when it has joined.
void publish_steps() {
  core::introduce_fork_child();
  core::own_slot().steps.store(g_steps, std::memory_order_relaxed);
}

void leave() {
  if (ends_capture()) core::end_capture();
  g_open.store(false, std::memory_order_release);
}

}  // namespace

void prepare_trigger() {
  const wire::CaptureConfig& config = core::g_process.config.capture;
  const bool has_trigger =
      core::has_feature(wire::kFeatureCaptureRange) && config.nvtx_range[0] != '\0';
  g_counts = has_trigger && config.counts_steps != 0;
  g_keeps = keeps_open_ranges();
  g_watches = g_keeps || has_trigger;
  if (!has_trigger) return;
  g_text = wire::hash_text(config.nvtx_range, std::strlen(config.nvtx_range));
  if (std::strcmp(config.nvtx_domain, "*") == 0)
    g_domain.store(kAnyDomain, std::memory_order_relaxed);
  else if (config.nvtx_domain[0] == '\0')
    g_domain.store(0, std::memory_order_relaxed);
  else
    g_domain_name = wire::hash_text(config.nvtx_domain, std::strlen(config.nvtx_domain));
}

void note_domain(std::uint32_t id, std::uint64_t name) {
  if (g_domain_name != 0 && name == g_domain_name) g_domain.store(id, std::memory_order_relaxed);
}

bool counts_steps() { return g_counts; }

bool is_trigger(Domain domain, std::uint64_t text) {
  if (g_text == 0 || text != g_text || !core::has_libc_pointer()) return false;
  const std::uint32_t wanted = g_domain.load(std::memory_order_relaxed);
  return wanted == kAnyDomain || wanted == domain.id;
}

bool enter_trigger() {
  if (g_open.exchange(true, std::memory_order_acq_rel)) return false;
  g_step = g_steps++;
  publish_steps();
  if (begins_capture()) core::begin_capture(wire::kNvtxTrigger);
  return true;
}

namespace {

// The text of a range that has one is not 0.
[[gnu::noinline, gnu::cold]] bool watch_push(Domain domain, std::uint64_t text) {
  if (g_keeps && core::has_libc_pointer())
    range_opened({domain.id, text != 0 ? wire::kNvtxHasText : std::uint8_t{0}, !core::paused(),
                  core::now(), text});
  return is_trigger(domain, text);
}

[[gnu::noinline, gnu::cold]] void watch_pop(Domain domain, int level) {
  if (g_keeps && core::has_libc_pointer()) range_closed(domain.id, core::now());
  popped_step(domain, level);
}

}  // namespace

void popped_step(Domain domain, int level) {
  if (g_text == 0 || !g_open.load(std::memory_order_acquire) || g_started != 0 ||
      g_pushed.level != level || g_pushed.domain != domain.id ||
      g_pushed.tid != core::sys::gettid())
    return;
  leave();
}

bool is_pushed_trigger(Domain domain, std::uint64_t text) {
  return g_watches && watch_push(domain, text);
}

void pushed(Domain domain, int level) {
  g_pushed = {core::sys::gettid(), level, domain.id};
  g_started = 0;
}

void popped(Domain domain, int level) {
  if (g_watches) watch_pop(domain, level);
}

void started(RangeId id) { g_started = id; }

void ended(RangeId id) {
  if (g_text == 0 || !g_open.load(std::memory_order_acquire) || g_started != id) return;
  leave();
}

}  // namespace prof::nvtx
