// The part of TargetServer that begins and ends collections.
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "collector/session/target_server.hpp"

namespace prof::session {

namespace {

// CUPTI is loaded by the first collection, and disabling it after one can take 2 s.
constexpr std::chrono::seconds kTracingPatience(5);

// Wakes the threads that switch CUPTI (injection/cuda/switching.cpp) at a begin or end.
void signal_edge(wire::ArenaHeader& arena) {
  arena.collection_edges.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &arena.collection_edges, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

}  // namespace

// Also drains what the counters of short calls have counted so far, because they go on counting.
void TargetServer::take_everything() {
  last_counters_ = {};
  poll();
}

void TargetServer::begin_collection() {
  start_observers();
  processes_.for_each([this](const LiveProcess& process) {
    static_cast<void>(take_drops(process.slot));
    session_.recorder.note(notes_[process.serial]);
    const std::uint32_t parent = notes_[process.serial].parent_serial;
    if (python_sampler_ != nullptr)
      python_sampler_->add(process.serial, process.slot, process.pid, parent);
    if (call_chains_ != nullptr)
      call_chains_->add(process.serial, process.pid, parent, process.time,
                        arena_.header()->slots[process.slot]);
  });
}

void TargetServer::begin_tracing() {
  wire::ArenaHeader& arena = *arena_.header();
  const CaptureRangeOptions& ranges = session_.options.ranges;
  captures_left_ = ranges.enabled ? ranges.count : 0;
  arena.triggers.store(ranges.enabled ? ranges.triggers() : 0, std::memory_order_relaxed);
  arena.captures_left.store(captures_left_, std::memory_order_relaxed);
  arena.capture.store(ranges.enabled ? wire::kWaiting : wire::kCapturing,
                      std::memory_order_relaxed);
  signal_edge(arena);
}

void TargetServer::await_tracing(const std::function<void()>& meanwhile) {
  for (const pid_t pid :
       wait_until_none([this] { return not_traced_yet(); }, kTracingPatience, meanwhile))
    session_.recorder.warn(fmt::format(
        "Process {} has not begun to trace CUDA yet (is it stopped?). Its GPU work is recorded "
        "from the moment when it has.",
        pid));
}

void TargetServer::wake_processes() { wire::set_dormant(*arena_.header(), false); }

void TargetServer::quiet_processes() {
  wire::ArenaHeader& arena = *arena_.header();
  wire::set_dormant(arena, true);
  signal_edge(arena);
}

std::vector<pid_t> TargetServer::processes_in(
    const std::function<bool(wire::CuptiState)>& is_it) const {
  std::vector<pid_t> found;
  const auto& slots = arena_.header()->slots;
  processes_.for_each([&](const LiveProcess& process) {
    // This acquire pairs with the release in injection/cuda/switching.cpp.
    if (is_it(slots[process.slot].cupti_state.load(std::memory_order_acquire)))
      found.push_back(process.pid);
  });
  return found;
}

std::vector<pid_t> TargetServer::not_traced_yet() const {
  return processes_in([](wire::CuptiState state) {
    return state != wire::CuptiState::kOn && state != wire::CuptiState::kNone;
  });
}

std::vector<pid_t> TargetServer::not_fetched_yet(bool with_starting) const {
  return processes_in([&](wire::CuptiState state) {
    return state == wire::CuptiState::kOn ||
           (with_starting && state == wire::CuptiState::kSwitching);
  });
}

std::vector<pid_t> TargetServer::wait_until_none(
    const std::function<std::vector<pid_t>()>& processes, std::chrono::seconds patience,
    const std::function<void()>& meanwhile) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  for (;;) {
    std::vector<pid_t> late = processes();
    const bool is_over = patience.count() != 0 && std::chrono::steady_clock::now() >= give_up;
    if (late.empty() || is_over) return late;
    poll();
    meanwhile();
    usleep(1000);
  }
}

// Waits for GPU records. A process that never finishes enabling CUPTI has no records, so the wait
// for it has a limit.
void TargetServer::take_gpu_records(const std::function<void()>& meanwhile) {
  const auto start = std::chrono::steady_clock::now();
  const auto are_left = [&] {
    return not_fetched_yet(std::chrono::steady_clock::now() - start < kTracingPatience);
  };
  const std::chrono::seconds patience(session_.options.cuda.flush_timeout);
  if (!wait_until_none(are_left, patience, meanwhile).empty())
    session_.recorder.warn("CUPTI did not deliver the last GPU records of the collection in time.");
}

void TargetServer::end_collection() {
  wire::ArenaHeader& arena = *arena_.header();
  arena.triggers.store(0, std::memory_order_relaxed);
  arena.captures_left.store(0, std::memory_order_relaxed);
  arena.capture.store(wire::kWaiting, std::memory_order_release);
  take_everything();
  stop_observers();
  note_drops();
}

void TargetServer::note_drops() {
  processes_.for_each([this](const LiveProcess& process) {
    if (spool::Drops drops = take_drops(process.slot); !drops.empty())
      session_.recorder.drops(process.serial, std::move(drops));
  });
}

}  // namespace prof::session
