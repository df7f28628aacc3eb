#include "collector/session/targets/target_server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "collector/session/control/marks.hpp"
#include "collector/session/options/session_reply.hpp"
#include "common/base/log.hpp"

namespace prof::session {

namespace {

// CUPTI is loaded by the first collection, and disabling it after one can take 2 s.
constexpr std::chrono::seconds kTracingPatience(5);

}  // namespace

TargetServer::TargetServer(const SessionContext& session, ControlServer control, spool::Arena arena)
    : session_(session),
      buffer_(session_.recorder, processes_, std::move(arena)),
      processes_(&buffer_.header()),
      captures_(session_.options, buffer_.header()),
      observers_(session_, buffer_.header()),
      admission_(session_, std::move(control), buffer_.arena(), processes_,
                 [this](const LiveProcess& process, const wire::Hello& hello) {
                   add_process(process, hello);
                 }) {
  if (!session_.options.time.on_demand) observers_.start();
  admission_.set_reply(common_reply());
}

void TargetServer::sample_processes(std::uint64_t period) {
  sample_period_ = period;
  observers_.enable_samples();
  admission_.set_reply(common_reply());
}

// The Python sampler and the unwinder read a new program as soon as it has joined. If it had ended
// in the meantime, they would find nothing. So the program waits for them, if the user chose what
// they record and the kernel does not report its mappings. For a fork child they know the memory of
// its parent. So the child does not wait, but the Python sampler begins with it at once.
base::Status TargetServer::publish_reply() {
  const SessionOptions& options = session_.options;
  const bool reads_mappings = observers_.call_chains() != nullptr &&
                              !session_.chains.follow_mappings &&
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

wire::Reply TargetServer::common_reply() const {
  return reply_of(session_.options, {.clock = session_.clock,
                                     .chunks = buffer_.arena().max(),
                                     .copies_stacks = observers_.copies_stacks(),
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
  while (ends_.wait(std::chrono::milliseconds(0), take) == EventLoop::kMaxAtOnce) {
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
  observers_.add(process, parent);
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
  // The removed images are those that the process ran before its exec, or those of an earlier
  // process with this pid. The new image itself may be among them, because an arrival may be read
  // late.
  mark_ended(processes_.remove_replaced(pid));
}

// Notes that these processes write no more.
void TargetServer::mark_ended(std::vector<LiveProcess> images) {
  for (LiveProcess& image : images) {
    image.pidfd.reset();  // the descriptor stays readable and would wake the loop again and again
    buffer_.mark_dead(image.serial);
    observers_.end(image.serial);
    ended_.push_back(std::move(image));
  }
}

// Finishes the processes whose last records have been taken: all at once, because a thousand may
// have ended since the last poll.
void TargetServer::finish_ended() {
  just_ended_.clear();
  for (const LiveProcess& image : ended_) {
    base::log_debug("process {} ended as {}", image.pid, image.serial);
    session_.recorder.note(spool::ProcessEndNote{image.serial, buffer_.take_drops(image.slot)});
    notes_.erase(image.serial);
    observers_.forget(image.serial);
    processes_.release(image);
    just_ended_.push_back(image.pid);
  }
  ended_.clear();
}

std::uint64_t TargetServer::drain() {
  drain_requested_ = false;
  const std::uint64_t bytes = buffer_.drain(observers_.call_chains());
  observers_.drain_python_samples();
  return bytes;
}

std::uint64_t TargetServer::steps_begun() const {
  std::uint64_t most = 0;
  processes_.for_each([&](const LiveProcess& process) {
    most =
        std::max(most, buffer_.header().slots[process.slot].steps.load(std::memory_order_relaxed));
  });
  return most;
}

void TargetServer::take_everything() {
  buffer_.take_all_counters();
  poll();
}

void TargetServer::begin_collection() {
  observers_.start();
  processes_.for_each([this](const LiveProcess& process) {
    static_cast<void>(buffer_.take_drops(process.slot));
    const spool::ProcessNote& note = notes_[process.serial];
    session_.recorder.note(note);
    observers_.add(process, note.parent_serial);
  });
}

// Drains until CUPTI is in none of these states in any process. Returns the processes that are left
// after this time (0: no limit).
std::vector<pid_t> TargetServer::wait_for_cupti(const CuptiStates& states,
                                                std::chrono::seconds patience,
                                                const std::function<void()>& meanwhile) {
  const auto give_up = std::chrono::steady_clock::now() + patience;
  for (;;) {
    std::vector<pid_t> late;
    processes_.for_each([&](const LiveProcess& process) {
      // This acquire pairs with the release in injection/cuda/switching.cpp.
      if (states(buffer_.header().slots[process.slot].cupti_state.load(std::memory_order_acquire)))
        late.push_back(process.pid);
    });
    const bool is_over = patience.count() != 0 && std::chrono::steady_clock::now() >= give_up;
    if (late.empty() || is_over) return late;
    poll();
    meanwhile();
    usleep(1000);
  }
}

void TargetServer::await_tracing(const std::function<void()>& meanwhile) {
  const auto is_not_traced = [](wire::CuptiState state) {
    return state != wire::CuptiState::kOn && state != wire::CuptiState::kNone;
  };
  for (const pid_t pid : wait_for_cupti(is_not_traced, kTracingPatience, meanwhile))
    session_.recorder.warn(fmt::format(
        "Process {} has not begun to trace CUDA yet (is it stopped?). Its GPU work is recorded "
        "from the moment when it has.",
        pid));
}

// A process in which CUPTI is still being enabled has no records yet, and none if it does not get
// to the end of that. So nobody waits for it without a limit.
void TargetServer::take_gpu_records(const std::function<void()>& meanwhile) {
  const auto start = std::chrono::steady_clock::now();
  const auto may_have_records = [&](wire::CuptiState state) {
    return state == wire::CuptiState::kOn ||
           (state == wire::CuptiState::kSwitching &&
            std::chrono::steady_clock::now() - start < kTracingPatience);
  };
  const std::chrono::seconds patience(session_.options.cuda.flush_timeout);
  if (!wait_for_cupti(may_have_records, patience, meanwhile).empty())
    session_.recorder.warn("CUPTI did not deliver the last GPU records of the collection in time.");
}

void TargetServer::end_collection() {
  captures_.end_ranges();
  take_everything();
  observers_.stop();
  note_drops();
}

void TargetServer::note_drops() {
  processes_.for_each([this](const LiveProcess& process) {
    if (spool::Drops drops = buffer_.take_drops(process.slot); !drops.empty())
      session_.recorder.drops(process.serial, std::move(drops));
  });
}

void TargetServer::close() {
  buffer_.close();
  admission_.poll_connections();
  admission_.read_announcements();
  admission_.report_unmapped_processes();
  mark_ended(processes_.remove_all());
  drain();
  finish_ended();
  observers_.report_python_sampling();
  admission_.report_refusals();
  buffer_.report_damage();
}

}  // namespace prof::session
