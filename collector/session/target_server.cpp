#include "collector/session/target_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "collector/session/chains/stack_copy_check.hpp"
#include "collector/session/control/marks.hpp"
#include "collector/session/options/session_reply.hpp"
#include "common/base/log.hpp"

namespace prof::session {

namespace {

// 64 MiB. It is prepared once this part of the present room is in use. A program with a few threads
// needs none of it, and zeroing it takes 20 ms of a CPU that the program may be using.
constexpr spool::ChunkCounts kPrepared{8192, 512};
// 16 MiB, for processes that cannot add any themselves (injection/core/record/arena_room.hpp).
constexpr spool::ChunkCounts kReady{2048, 128};
constexpr std::uint32_t kBusyPart = 16;

}  // namespace

TargetServer::TargetServer(const SessionContext& session, ControlServer control, spool::Arena arena)
    : session_(session),
      arena_(std::move(arena)),
      reader_(arena_),
      processes_(arena_.header()),
      admission_(session_, std::move(control), arena_, processes_,
                 [this](const LiveProcess& process, const wire::Hello& hello) {
                   add_process(process, hello);
                 }) {
  const SessionOptions& options = session_.options;
  wire::ArenaHeader& arena_header = *arena_.header();
  if (options.time.is_any()) {
    wire::set_dormant(arena_header, true);
  } else {
    wire::set_dormant(arena_header, false);
    captures_left_ = options.ranges.count;
    arena_header.triggers.store(options.ranges.triggers(), std::memory_order_release);
    arena_header.captures_left.store(captures_left_, std::memory_order_release);
  }
  if (options.has_native_call_chains()) {
    const std::string obstacle = stack_copy_obstacle();
    copies_stacks_ = obstacle.empty();
    if (!copies_stacks_)
      report_obstacle(
          options.native_call_chains_chosen(),
          "Native call chains of OS-runtime and CUDA calls are not recorded: " + obstacle);
  }
  if (session_.recorder.live_metrics() != nullptr) reader_.keep_order();
  wait_for_known();
  if (!options.time.on_demand) start_observers();
  admission_.set_reply(common_reply());
}

// Those who look at the processes from outside.
void TargetServer::start_observers() {
  const SessionOptions& options = session_.options;
  if (copies_stacks_) create_call_chains();
  if (options.python.samples)
    python_sampler_ = std::make_unique<python::Sampler>(
        *arena_.header(), session_.clock,
        python::SamplerOptions{.frequency = options.python.samples_per_second(),
                               .is_sparing = !options.python.samples_chosen,
                               .in_ranges = options.ranges.enabled || options.time.is_any()});
}

void TargetServer::stop_observers() {
  report_python_sampling();
  python_sampler_.reset();
  call_chains_.reset();
  wait_for_known();
}

// Call chains and live metrics need to know the process. A fork child may write records between the
// reading of the arrivals and the drain; the next drain takes them.
void TargetServer::wait_for_known() {
  if (call_chains_ != nullptr || session_.recorder.live_metrics() != nullptr)
    reader_.wait_for([this](std::uint32_t serial) { return processes_.was_added(serial); });
  else
    reader_.wait_for({});
}

void TargetServer::create_call_chains() {
  call_chains_ = std::make_unique<EventCallChains>(session_.chains, session_.recorder,
                                                   TickClock(session_.clock),
                                                   session_.options.osrt_chain_depth());
  wait_for_known();
}

void TargetServer::sample_processes(std::uint64_t period) {
  sample_period_ = period;
  if (call_chains_ == nullptr) create_call_chains();
  call_chains_->enable_samples(session_.options.cpu);
  admission_.set_reply(common_reply());
}

// The Python sampler and the unwinder read a new program as soon as it has joined. They would find
// nothing if it had ended in the meantime. So it waits for them, if the user chose what they record
// and the kernel does not report its mappings. Of a fork child they know its parent's memory. So it
// does not wait, but the Python sampler begins with it at once.
base::Status TargetServer::publish_reply() {
  const SessionOptions& options = session_.options;
  const bool reads_mappings = call_chains_ != nullptr && !session_.chains.follow_mappings &&
                              options.native_call_chains_chosen();
  const bool samples_python = options.python.samples && options.python.samples_chosen;
  if (!reads_mappings && !samples_python) return admission_.publish_reply();
  base::Status opened = admission_.take_arrivals();
  if (samples_python) admission_.watch_arrivals();
  return opened;
}

std::vector<pid_t> TargetServer::pids() const {
  std::vector<pid_t> pids;
  processes_.for_each([&](const LiveProcess& process) { pids.push_back(process.pid); });
  return pids;
}

void TargetServer::watch_arrivals() { admission_.watch_arrivals(); }

// Says what is not recorded: on stderr only if the user chose it.
void TargetServer::report_obstacle(bool chosen, const std::string& text) {
  if (chosen)
    session_.recorder.warn(text);
  else
    session_.recorder.diagnostic(spool::Severity::kInfo, text);
}

wire::Reply TargetServer::common_reply() const {
  return reply_of(session_.options, {.clock = session_.clock,
                                     .chunks = arena_.max(),
                                     .copies_stacks = copies_stacks_,
                                     .sample_period = sample_period_});
}

bool TargetServer::handle(int fd) {
  if (fd == ends_.fd())
    poll_ended();
  else if (fd == admission_.event_pipe())
    drain_requested_ |= admission_.read_announcements();
  else
    return admission_.handle(fd);
  return true;
}

std::uint64_t TargetServer::poll() {
  session_.recorder.collect();
  admission_.poll_arrivals();
  poll_ended();
  mark_ended(processes_.remove_vanished());
  const std::uint64_t bytes = drain();
  finish_ended();
  session_.recorder.write_collected();
  admission_.finish_poll();
  return bytes;
}

void TargetServer::watch_ends() { session_.loop.watch(ends_.fd()); }

void TargetServer::poll_ended() {
  const auto take = [this](int fd) { mark_ended(processes_.remove(processes_.owner_of(fd))); };
  while (ends_.wait(std::chrono::milliseconds(0), take) == EventLoop::kMostAtOnce) {
  }
}

bool TargetServer::has_processes() {
  admission_.poll_connections();
  mark_ended(admission_.reject_impostors());
  return !processes_.empty();
}

bool TargetServer::serves(pid_t pid) {
  admission_.poll_connections();
  const auto is_it = [pid](const LiveProcess& image) { return image.pid == pid; };
  return processes_.has(pid) || std::any_of(ended_.begin(), ended_.end(), is_it) ||
         std::find(just_ended_.begin(), just_ended_.end(), pid) != just_ended_.end();
}

bool TargetServer::mark(pid_t sender, const std::string& text) {
  const std::uint64_t now = session_.clock.now();
  admission_.poll_arrivals();
  const LiveProcess* chosen = nullptr;
  processes_.for_each([&](const LiveProcess& image) {
    if (chosen == nullptr || image.pid == sender) chosen = &image;
  });
  if (chosen != nullptr) record_mark(session_.recorder, chosen->serial, chosen->pid, now, text);
  return chosen != nullptr;
}

void TargetServer::add_process(const LiveProcess& process, const wire::Hello& hello) {
  const bool forked = hello.kind == wire::ProcessKind::kFork;
  const bool has_parent = forked && processes_.was_added(hello.parent_serial);
  const std::uint32_t parent = forked ? hello.parent_serial : 0;
  const pid_t pid = process.pid;
  has_joined_any_ = true;
  if (python_sampler_ != nullptr) python_sampler_->add(process.serial, process.slot, pid, parent);
  if (call_chains_ != nullptr)
    call_chains_->add(process.serial, pid, parent, process.time,
                      arena_.header()->slots[process.slot]);
  if (process.pidfd && !ends_.watch(process.pidfd.get()))
    processes_.watch_by_polling(process.serial);
  spool::ProcessNote& note = notes_[process.serial];
  note = {.serial = process.serial,
          .parent_serial = has_parent ? hello.parent_serial : 0,
          .pid = pid,
          .own_pid = hello.pid,
          .ppid = hello.ppid,
          .time = process.time,
          .name = process.name,
          .exec_of = forked ? 0 : processes_.other_image(process)};
  session_.recorder.note(note);
  base::log_debug("process {} joined as {} ({}): {}", pid, process.serial,
                  forked ? "fork" : "start", process.name);
  // The image that the process ran before its exec, or another process that had this pid before.
  // The new image itself may be among them, as an arrival may be read late.
  mark_ended(processes_.remove_replaced(pid));
}

// These processes write no more.
void TargetServer::mark_ended(std::vector<LiveProcess> images) {
  for (LiveProcess& image : images) {
    image.pidfd.reset();  // it stays readable and would wake the loop again and again
    reader_.mark_dead(image.serial);
    if (python_sampler_ != nullptr) python_sampler_->remove(image.serial);
    if (call_chains_ != nullptr) call_chains_->end(image.serial);
    ended_.push_back(std::move(image));
  }
}

// Finishes the processes whose last records have been taken: all at once, as a thousand may have
// ended since the last poll.
void TargetServer::finish_ended() {
  just_ended_.clear();
  for (const LiveProcess& image : ended_) {
    base::log_debug("process {} ended as {}", image.pid, image.serial);
    session_.recorder.note(spool::ProcessEndNote{image.serial, take_drops(image.slot)});
    notes_.erase(image.serial);
    if (call_chains_ != nullptr) call_chains_->forget(image.serial);
    processes_.release(image);
    just_ended_.push_back(image.pid);
  }
  ended_.clear();
}

spool::Drops TargetServer::take_drops(std::uint32_t slot) {
  spool::Drops drops;
  auto& counters = arena_.header()->slots[slot].dropped;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(wire::DropCause::kCount); ++i)
    if (const std::uint64_t count = counters[i].exchange(0, std::memory_order_relaxed); count > 0)
      drops[spool::to_drop_cause(static_cast<wire::DropCause>(i))] = count;
  return drops;
}

void TargetServer::report_open_drops() {
  if (session_.recorder.live_metrics() == nullptr) return;
  spool::Drops drops;
  processes_.for_each([&](const LiveProcess& process) {
    auto& counters = arena_.header()->slots[process.slot].dropped;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(wire::DropCause::kCount); ++i)
      if (const std::uint64_t count = counters[i].load(std::memory_order_relaxed); count > 0)
        drops[spool::to_drop_cause(static_cast<wire::DropCause>(i))] += count;
  });
  session_.recorder.live_metrics()->set_open_drops(drops);
}

// A range may also have begun and ended since the last call.
bool TargetServer::has_captured() {
  if (!session_.options.ranges.enabled)
    return arena_.header()->dormant.load(std::memory_order_relaxed) == 0;
  const wire::ArenaHeader& arena = *arena_.header();
  const bool is_capturing = arena.capture.load(std::memory_order_relaxed) == wire::kCapturing;
  const std::uint32_t left = arena.captures_left.load(std::memory_order_relaxed);
  const bool is_new = std::exchange(captures_left_, left) != left;
  return std::exchange(was_capturing_, is_capturing) || is_capturing || is_new;
}

std::uint32_t TargetServer::ranges_begun() const {
  const CaptureRangeOptions& ranges = session_.options.ranges;
  return ranges.enabled
             ? ranges.count - arena_.header()->captures_left.load(std::memory_order_relaxed)
             : 0;
}

bool TargetServer::are_captures_done() const {
  const wire::ArenaHeader& arena = *arena_.header();
  return session_.options.ranges.enabled &&
         arena.captures_left.load(std::memory_order_acquire) == 0 &&
         arena.capture.load(std::memory_order_acquire) == wire::kWaiting;
}

// Those of chunks that are in use matter only if prof is killed.
bool TargetServer::is_time_for_counters() {
  constexpr auto kInterval = std::chrono::seconds(1);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_counters_ < kInterval) return false;
  last_counters_ = now;
  return true;
}

// Copies what was published into the spool, frees chunks and provides room. Returns the bytes
// copied.
std::uint64_t TargetServer::drain() {
  drain_requested_ = false;
  is_header_damaged_ |= arena_.repair();
  arena_.header()->drain_requested.store(0, std::memory_order_relaxed);
  if (call_chains_ != nullptr) call_chains_->begin_drain();
  const bool all_counters = is_time_for_counters();
  if (all_counters) report_open_drops();
  const auto drained = reader_.drain(
      [this](const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
        session_.recorder.records(
            piece, call_chains_ == nullptr ? bytes : call_chains_->replace_stacks(piece, bytes));
        return base::Status();
      },
      all_counters);
  drain_python_samples();
  if (!drained) return 0;
  provide_room(drained->owned);
  return drained->bytes;
}

void TargetServer::provide_room(const spool::ChunkCounts& owned) {
  for (const auto size : {wire::ChunkSize::kSmall, wire::ChunkSize::kLarge}) {
    const std::uint32_t before = arena_.backed()[size];
    // Prepares for a burst of threads. The steps are small, so that a process which waits for a
    // reply does not notice them.
    const bool wanted = arena_.header()->room_wanted.load(std::memory_order_relaxed) != 0;
    if ((owned[size] * kBusyPart > before &&
         before < std::min(kPrepared[size], arena_.max()[size] / 4)) ||
        (wanted && before < std::min(kReady[size], arena_.max()[size])))
      arena_.grow_a_little(size);
    // Threads ask for a drain when a quarter is in use (injection/core/record/ring_writer.cpp).
    while (owned[size] * 4 > arena_.backed()[size] && arena_.grow(size)) {
    }
    if (arena_.backed()[size] != before)
      base::log_debug("event buffer: {} of {} chunks of {} KiB in use, now {} backed", owned[size],
                      before, wire::chunk_bytes(size) / 1024, arena_.backed()[size]);
  }
}

void TargetServer::drain_python_samples() {
  if (python_sampler_ == nullptr) return;
  python_sampler_->drain([this](const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
    session_.recorder.records(piece, bytes);
  });
}

void TargetServer::close() {
  arena_.close_recording();
  admission_.poll_connections();
  admission_.read_announcements();
  admission_.report_unmapped_processes();
  mark_ended(processes_.remove_all());
  reader_.wait_for({});
  drain();
  finish_ended();
  report_python_sampling();
  admission_.report_refusals();
  report_damage();
}

void TargetServer::report_python_sampling() {
  if (python_sampler_ == nullptr || !python_sampler_->has_started()) return;
  const python::Sampler::Outcome outcome = python_sampler_->stop();
  session_.recorder.diagnostic(
      spool::Severity::kInfo,
      fmt::format("Python samples: {} taken ({} of them while a function was called or "
                  "returned), {} of idle threads skipped, {} not taken because the call chain "
                  "changed while it was read, {} missed because prof was late. {} waits noted.",
                  outcome.counts.taken, outcome.counts.moved, outcome.counts.idle,
                  outcome.counts.torn, outcome.missed, outcome.counts.waits));
  if (outcome.refused == 0) return;
  report_obstacle(
      session_.options.python.samples_chosen,
      fmt::format("Python is not sampled: prof may not read the program's memory "
                  "(process_vm_readv: {}). This requires CAP_SYS_PTRACE, or a program that may be "
                  "debugged and a value of 1 or less in /proc/sys/kernel/yama/ptrace_scope.",
                  strerror(outcome.refused)));
}

void TargetServer::report_damage() {
  if (is_header_damaged_)
    session_.recorder.diagnostic(spool::Severity::kError,
                                 "A program overwrote the header of the event buffer.");
  if (reader_.corrupt_chunks() > 0)
    session_.recorder.diagnostic(spool::Severity::kError, std::to_string(reader_.corrupt_chunks()) +
                                                              " event buffers were damaged.");
}

}  // namespace prof::session
