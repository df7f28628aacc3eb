#include "collector/session/target_server.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "collector/base/log.hpp"
#include "collector/session/process_facts.hpp"
#include "collector/session/session_reply.hpp"
#include "collector/session/stack_copy_check.hpp"
#include "collector/spool/clock_model.hpp"

namespace prof::session {

using base::UniqueFd;
using Clock = std::chrono::steady_clock;

namespace {

// 64 MiB: got ready once this part of what there is is in use. A program with a few threads needs
// none of it, and zeroing it takes 20 ms, of a CPU that the program may be using.
constexpr spool::ChunkCounts kPrepared{8192, 512};
constexpr std::uint32_t kBusyPart = 16;

constexpr std::pair<wire::DropCause, const char*> kDropNames[] = {
    {wire::DropCause::kNoChunk, "no_chunk"},
    {wire::DropCause::kReentered, "reentered"},
    {wire::DropCause::kThreadGone, "thread_gone"},
    {wire::DropCause::kTooLarge, "too_large"},
    {wire::DropCause::kConnecting, "connecting"},
    {wire::DropCause::kCuptiBuffers, "cupti_buffers"}};

}  // namespace

TargetServer::TargetServer(const SessionOptions& options, ControlServer control, spool::Arena arena,
                           Recorder& recorder, CallStacks& stacks, const EventLoop& loop,
                           bool use_tsc, double tick_rate)
    : options_(options),
      control_(std::move(control)),
      arena_(std::move(arena)),
      reader_(arena_),
      recorder_(recorder),
      loop_(loop),
      use_tsc_(use_tsc),
      tick_rate_(tick_rate),
      processes_(arena_.header()),
      silent_peers_(SilentPeers::most_at_a_time()) {
  arena_.header()->captures_left.store(options.ranges.count, std::memory_order_release);
  loop_.watch(control_.listener());
  loop_.watch_once(control_.pipe());
  if (options.stacks.osrt || options.stacks.cuda()) take_stacks(stacks);
  if (options.python_frequency != 0)
    python_sampler_ =
        std::make_unique<python::Sampler>(*arena_.header(), options.python_frequency, use_tsc);
}

void TargetServer::take_stacks(CallStacks& stacks) {
  if (const std::string obstacle = stack_copy_obstacle(); !obstacle.empty())
    return recorder_.warn("No native call chains of calls: " + obstacle);
  copies_stacks_ = true;
  make_event_stacks(stacks);
}

void TargetServer::sample_processes(CallStacks& stacks, std::uint64_t period) {
  sample_period_ = period;
  if (event_stacks_ == nullptr) make_event_stacks(stacks);
  event_stacks_->expect_samples(options_.cpu);
}

// Python's samplers and the unwinder look into a process as soon as it is there, and find nothing
// if it has ended in the meantime.
base::Status TargetServer::leave_standing_reply(const SessionDirectory& directory) {
  if (event_stacks_ != nullptr || python_sampler_ != nullptr) return {};
  const auto reply = standing_reply(common_reply(), arena_.fd());
  if (!reply) return tl::make_unexpected(reply.error());
  auto arrivals = Arrivals::create(directory);
  if (!arrivals) return tl::make_unexpected(arrivals.error());
  arrivals_ = std::move(*arrivals);
  session_ = directory.path();
  arena_inode_ = reply->arena_inode;
  return directory.leave(wire::kStandingReplyName,
                         {reinterpret_cast<const char*>(&*reply), sizeof *reply});
}

bool TargetServer::handle(int fd) {
  if (fd == control_.listener()) {
    // Else at the next poll: there is no room, and waiting for room must not keep us busy.
    listens_ = accept();
    if (!listens_) loop_.pause(fd);
  } else if (fd == ends_.fd()) {
    take_ended();
  } else if (fd == control_.pipe()) {
    const Announcements announcements = control_.take_announcements();
    urgent_ |= announcements.any;
    without_room_ += announcements.no_room;
  } else if (UniqueFd connection = silent_peers_.take(fd)) {
    hear_everybody();
    greet(std::move(connection));
  } else {
    return false;
  }
  return true;
}

std::uint64_t TargetServer::poll() {
  take_arrivals();
  take_ended();
  end(processes_.take_vanished());
  const std::uint64_t bytes = drain();
  close_books();
  silent_peers_.drop_late(Clock::now());
  header_spoiled_ |= arena_.repair();
  if (!listens_) loop_.resume(control_.listener());
  listens_ = true;
  loop_.rearm(control_.pipe());
  return bytes;
}

void TargetServer::watch_ends() { loop_.watch(ends_.fd()); }

void TargetServer::take_ended() {
  const auto take = [this](int fd) { end(processes_.take(processes_.owner_of(fd))); };
  while (ends_.wait(std::chrono::milliseconds(0), take) == EventLoop::kMostAtOnce) {
  }
}

// Before their records: who tells of itself does so before the first of them.
void TargetServer::take_arrivals() {
  if (!arrivals_) return;
  const std::uint64_t now = spool::read_clocks(use_tsc_).ticks;
  arrivals_->take([&](const wire::Arrival& arrival) { take_in(arrival, now); });
}

void TargetServer::hear_silent_peers() {
  for (const int fd : silent_peers_.those_who_spoke()) greet(silent_peers_.take(fd));
}

// Who has said Hello by now. Before the next one who may ask, too: among them may be what that
// process ran before, or its parent.
void TargetServer::hear_everybody() {
  take_arrivals();
  hear_silent_peers();
}

bool TargetServer::has_processes() {
  hear_everybody();
  if (arrivals_) end(processes_.take_impostors(session_, arena_inode_));
  return !processes_.empty();
}

bool TargetServer::serves(pid_t pid) {
  hear_everybody();
  const auto is_it = [pid](const LiveProcess& image) { return image.pid == pid; };
  return processes_.has(pid) || std::any_of(ended_.begin(), ended_.end(), is_it) ||
         std::find(just_ended_.begin(), just_ended_.end(), pid) != just_ended_.end();
}

// One: whether there are more the loop knows. False if nobody else can be let in right now.
bool TargetServer::accept() {
  if (!silent_peers_.make_room(Clock::now())) return false;
  UniqueFd connection = control_.accept();
  if (!connection) return errno == EAGAIN || errno == ECONNABORTED;
  hear_everybody();
  greet(std::move(connection));
  return true;
}

void TargetServer::greet(UniqueFd connection) {
  Introduction introduction;
  introduction.connection = std::move(connection);
  switch (ControlServer::receive(introduction)) {
    case Peer::kSilent:
      loop_.watch(introduction.connection.get());
      return silent_peers_.add(std::move(introduction.connection), Clock::now());
    case Peer::kStranger:
      ++strangers_;
      return;
    case Peer::kGone:
      return;
    case Peer::kSpoken:
      if (introduction.hello.version != wire::kWireVersion)
        return refuse(introduction, wire::ReplyStatus::kWrongVersion);
      if (processes_.asked() >= wire::kMostImages)
        return refuse(introduction, wire::ReplyStatus::kRefused);
      return let_in(introduction);
  }
}

// Not if what it says of itself cannot be true.
void TargetServer::take_in(const wire::Arrival& arrival, std::uint64_t now) {
  const wire::Hello& hello = arrival.hello;
  const bool is_theirs =
      hello.serial >= wire::kFirstSerial && hello.serial < wire::kFirstSerial + wire::kMostImages;
  if (!is_theirs || hello.slot >= wire::kProcessSlots || processes_.knows(hello.serial)) {
    ++strangers_;
    return;
  }
  const double age = now > hello.time ? static_cast<double>(now - hello.time) / tick_rate_ : 0;
  FoundProcess found = find_process(hello.pid, static_cast<std::uint64_t>(age * 1e9));
  std::string name = hello.kind == wire::ProcessKind::kFork
                         ? processes_.name_of(hello.parent_serial)
                         : programs_.executable_of({arrival.program, hello.program_bytes});
  if (name.empty() && !found.is_reaped) name = process_name(hello.pid);
  note_process(processes_.add({.serial = hello.serial,
                               .slot = hello.slot,
                               .pid = hello.pid,
                               .time = hello.time,
                               .pidfd = std::move(found.pidfd),
                               .is_reaped = found.is_reaped,
                               .is_own_word = true,
                               .name = std::move(name)}),
               hello);
}

void TargetServer::let_in(const Introduction& introduction) {
  // Its name is asked for while it waits, and cannot end.
  LiveProcess& process = processes_.add(introduction.pid, process_name(introduction.pid));
  process.time = use_tsc_ ? introduction.hello.time : spool::read_clocks(false).ticks;
  answer(introduction, process);
  note_process(process, introduction.hello);
}

void TargetServer::note_process(const LiveProcess& process, const wire::Hello& hello) {
  const bool forked = hello.kind == wire::ProcessKind::kFork;
  const bool has_parent = forked && processes_.knows(hello.parent_serial);
  const pid_t pid = process.pid;
  has_met_processes_ = true;
  if (process.pidfd) ends_.watch(process.pidfd.get());
  recorder_.note({{"type", "process"},
                  {"serial", process.serial},
                  {"parent_serial", has_parent ? hello.parent_serial : 0},
                  {"pid", pid},
                  {"own_pid", hello.pid},
                  {"ppid", hello.ppid},
                  {"time", process.time},
                  {"name", process.name}});
  base::log_debug("process {} joined as {} ({}): {}", pid, process.serial,
                  forked ? "fork" : "start", process.name);
  // What the process ran before it exec'ed, or who had its pid before. That may also be the one who
  // has just arrived: it can be heard of late.
  end(processes_.take_past(pid));
}

void TargetServer::answer(const Introduction& introduction, const LiveProcess& process) {
  const bool forked = introduction.hello.kind == wire::ProcessKind::kFork;
  const std::uint32_t parent = forked ? introduction.hello.parent_serial : 0;
  if (python_sampler_ != nullptr) {
    arena_.header()->slots[process.slot].python_runtime.store(0, std::memory_order_relaxed);
    python_sampler_->add(process.serial, process.slot, introduction.pid, parent);
  }
  wire::Reply reply = common_reply();
  reply.serial = process.serial;
  reply.slot = process.slot;
  ControlServer::reply(introduction, reply, forked ? -1 : arena_.fd());
  if (event_stacks_ != nullptr)
    event_stacks_->add(process.serial, introduction.pid, parent,
                       arena_.header()->slots[process.slot]);
}

void TargetServer::refuse(const Introduction& introduction, wire::ReplyStatus why) {
  wire::Reply refusal{};
  refusal.magic = wire::kHandshakeMagic;
  refusal.version = wire::kWireVersion;
  refusal.status = why;
  ControlServer::reply(introduction, refusal, -1);
  if (++refused_[why] == 1 && why == wire::ReplyStatus::kRefused)
    base::log_warning("more than {} programs were started; later ones are not traced",
                      wire::kMostImages);
}

wire::Reply TargetServer::common_reply() const {
  return reply_of(options_, {.use_tsc = use_tsc_,
                             .tick_rate = tick_rate_,
                             .chunks = arena_.max(),
                             .copies_stacks = copies_stacks_,
                             .sample_period = sample_period_});
}

// They write no more.
void TargetServer::end(std::vector<LiveProcess> images) {
  for (LiveProcess& image : images) {
    image.pidfd.reset();  // which would call us again and again
    reader_.mark_dead(image.serial);
    if (python_sampler_ != nullptr) python_sampler_->remove(image.serial);
    if (event_stacks_ != nullptr) event_stacks_->end(image.serial);
    ended_.push_back(std::move(image));
  }
}

// Of those whose last records have been taken: all that have ended by now in one go, as a thousand
// may.
void TargetServer::close_books() {
  just_ended_.clear();
  for (const LiveProcess& image : ended_) {
    base::log_debug("process {} ended as {}", image.pid, image.serial);
    const auto drops = take_drops(image.slot);
    recorder_.note({{"type", "process_end"}, {"serial", image.serial}, {"dropped", drops}});
    if (event_stacks_ != nullptr) event_stacks_->forget(image.serial);
    processes_.release(image);
    just_ended_.push_back(image.pid);
  }
  ended_.clear();
}

nlohmann::json TargetServer::take_drops(std::uint32_t slot) {
  nlohmann::json drops = nlohmann::json::object();
  for (const auto& [cause, name] : kDropNames) {
    auto& counter = arena_.header()->slots[slot].dropped[static_cast<std::size_t>(cause)];
    if (const std::uint64_t count = counter.exchange(0, std::memory_order_relaxed); count > 0)
      drops[name] = count;
  }
  return drops;
}

bool TargetServer::captures_are_over() const {
  const wire::ArenaHeader& arena = *arena_.header();
  return options_.ranges.enabled && arena.captures_left.load(std::memory_order_acquire) == 0 &&
         arena.capture.load(std::memory_order_acquire) == wire::kWaiting;
}

std::uint64_t TargetServer::drain() {
  urgent_ = false;
  arena_.header()->drain_requested.store(0, std::memory_order_relaxed);
  if (event_stacks_ != nullptr) event_stacks_->begin_drain();
  const auto drained =
      reader_.drain([this](const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
        if (event_stacks_ != nullptr)
          event_stacks_->take(piece, bytes);
        else
          recorder_.records(piece, bytes);
        return base::Status();
      });
  take_python_samples();
  if (!drained) return 0;
  make_room(drained->owned);
  return drained->bytes;
}

void TargetServer::make_room(const spool::ChunkCounts& owned) {
  for (const auto size : {wire::ChunkSize::kSmall, wire::ChunkSize::kLarge}) {
    const std::uint32_t before = arena_.backed()[size];
    // Ahead of a burst of threads; in steps that no process notices which waits for our answer.
    if (owned[size] * kBusyPart > before &&
        before < std::min(kPrepared[size], arena_.max()[size] / 4))
      arena_.grow_a_little(size);
    // Threads ask for attention from the first quarter on (injection/core/record/ring_writer.cpp).
    while (owned[size] * 4 > arena_.backed()[size] && arena_.grow(size)) {
    }
    if (arena_.backed()[size] != before)
      base::log_debug("event buffer: {} of {} chunks of {} KiB in use, now {} backed", owned[size],
                      before, wire::chunk_bytes(size) / 1024, arena_.backed()[size]);
  }
}

void TargetServer::take_python_samples() {
  if (python_sampler_ == nullptr) return;
  python_sampler_->drain([this](const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
    recorder_.records(piece, bytes);
  });
}

void TargetServer::close() {
  arena_.close_recording();
  hear_everybody();
  without_room_ += control_.take_announcements().no_room;
  tell_of_lack_of_room();
  end(processes_.take_all());
  drain();
  close_books();
  report_python_sampling();
  tell_refusals();
}

}  // namespace prof::session
