#include "collector/session/admission/admission.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

#include <cerrno>
#include <chrono>

#include "collector/session/admission/process_facts.hpp"
#include "collector/session/options/session_reply.hpp"
#include "common/base/log.hpp"

namespace prof::session {

using base::UniqueFd;
using Clock = std::chrono::steady_clock;

Admission::Admission(const SessionContext& session, ControlServer control,
                     const spool::Arena& arena, LiveProcesses& processes, Joined joined)
    : session_(session),
      control_(std::move(control)),
      arena_(arena),
      processes_(processes),
      joined_(std::move(joined)),
      slow_peers_(SlowPeers::affordable()) {
  session_.loop.watch(control_.listener());
  session_.loop.watch_once(control_.pipe());
}

base::Status Admission::publish_reply() {
  if (base::Status opened = take_arrivals(); !opened) return opened;
  const auto reply = standing_reply(reply_, arena_.fd());
  if (!reply) return tl::make_unexpected(reply.error());
  return session_.directory.write_file(wire::kStandingReplyName,
                                       {reinterpret_cast<const char*>(&*reply), sizeof *reply});
}

base::Status Admission::take_arrivals() {
  struct stat arena {};
  if (fstat(arena_.fd(), &arena) != 0)
    return base::fail_errno("cannot inspect the event buffer", errno);
  arena_inode_ = arena.st_ino;
  auto arrivals = Arrivals::create(session_.directory, arena_.header());
  if (!arrivals) return tl::make_unexpected(arrivals.error());
  arrivals_ = std::move(*arrivals);
  reply_.features |= wire::kFeatureForksArrive;
  return {};
}

void Admission::watch_arrivals() {
  if (!arrivals_) return;
  arrivals_->watch();
  session_.loop.watch(arrivals_->fd());
}

bool Admission::handle(int fd) {
  if (arrivals_ && fd == arrivals_->fd()) {
    poll_arrivals();
    return true;
  }
  if (fd == control_.listener()) {
    // If no slot for a connection is free, the socket stays readable and would keep the loop busy.
    // The next poll resumes.
    is_listening_ = accept();
    if (!is_listening_) session_.loop.pause(fd);
    return true;
  }
  UniqueFd connection = slow_peers_.take(fd);
  if (!connection) return false;
  poll_connections();
  greet(std::move(connection));
  return true;
}

bool Admission::read_announcements() {
  const Announcements announcements = control_.take_announcements();
  unmapped_ += announcements.no_room;
  return announcements.any;
}

void Admission::poll_arrivals() {
  if (!arrivals_) return;
  const std::uint64_t now = session_.clock.now();
  arrivals_->take([&](const wire::Hello& hello, std::string_view program) {
    register_arrival(hello, program, now);
  });
}

// Connections are also polled before a process is admitted: the image that it ran before, or its
// parent, may be among them.
void Admission::poll_connections() {
  poll_arrivals();
  for (const int fd : slow_peers_.ready()) greet(slow_peers_.take(fd));
}

void Admission::finish_poll() {
  slow_peers_.drop_expired(Clock::now());
  if (!is_listening_) session_.loop.resume(control_.listener());
  is_listening_ = true;
  session_.loop.rearm(control_.pipe());
}

std::vector<LiveProcess> Admission::reject_impostors() {
  if (!arrivals_) return {};
  return processes_.remove_impostors(session_.directory.path(), arena_inode_);
}

// Accepts one connection. The loop reports further ones. Returns false if there is no room for it.
bool Admission::accept() {
  if (!slow_peers_.make_room(Clock::now())) return false;
  UniqueFd connection = control_.accept();
  if (!connection) return errno == EAGAIN || errno == ECONNABORTED;
  poll_connections();
  greet(std::move(connection));
  return true;
}

void Admission::greet(UniqueFd connection) {
  Introduction introduction;
  introduction.connection = std::move(connection);
  switch (control_.receive(introduction)) {
    case Peer::kSilent:
      session_.loop.watch(introduction.connection.get());
      return slow_peers_.add(std::move(introduction.connection), Clock::now());
    case Peer::kStranger:
      ++strangers_;
      return;
    case Peer::kDisconnected:
      return;
    case Peer::kIntroduced:
      if (introduction.hello.version != wire::kWireVersion)
        return refuse(introduction, wire::ReplyStatus::kWrongVersion);
      if (processes_.assigned_serials() >= wire::kMaxImages)
        return refuse(introduction, wire::ReplyStatus::kRefused);
      return admit(introduction);
  }
}

// Registers a process that announced itself at some time before `now`. Rejects implausible serials
// and slots.
void Admission::register_arrival(const wire::Hello& hello, std::string_view program,
                                 std::uint64_t now) {
  const bool is_plausible = hello.serial >= wire::kFirstSerial &&
                            hello.serial < wire::kFirstSerial + wire::kMaxImages &&
                            hello.slot < wire::kProcessSlots;
  if (!is_plausible || processes_.was_added(hello.serial)) {
    ++strangers_;
    return;
  }
  const double age = now > hello.time ? session_.clock.to_ns(now - hello.time) : 0;
  FoundProcess found = find_process(hello.pid, static_cast<std::uint64_t>(age));
  std::string name = hello.kind == wire::ProcessKind::kFork
                         ? processes_.name_of(hello.parent_serial)
                         : programs_.executable_of(std::string(program));
  if (name.empty() && !found.is_reaped) name = process_name(hello.pid);
  joined_(processes_.add({.serial = hello.serial,
                          .slot = hello.slot,
                          .pid = hello.pid,
                          .time = hello.time,
                          .pidfd = std::move(found.pidfd),
                          .is_reaped = found.is_reaped,
                          .is_self_reported = true,
                          .name = std::move(name)}),
          hello);
}

// Admits a process that waits for a reply. Its name is read while it waits and cannot end.
void Admission::admit(const Introduction& introduction) {
  LiveProcess& process = processes_.add(introduction.pid, process_name(introduction.pid));
  process.time = session_.clock.is_tsc() ? introduction.hello.time : session_.clock.now();
  send_reply(introduction, process);
  joined_(process, introduction.hello);
}

void Admission::send_reply(const Introduction& introduction, const LiveProcess& process) {
  wire::Reply reply = reply_;
  reply.serial = process.serial;
  reply.slot = process.slot;
  const bool has_arena = introduction.hello.kind == wire::ProcessKind::kFork;
  ControlServer::reply(introduction, reply, has_arena ? -1 : arena_.fd());
}

void Admission::refuse(const Introduction& introduction, wire::ReplyStatus reason) {
  wire::Reply refusal{};
  refusal.magic = wire::kHandshakeMagic;
  refusal.version = wire::kWireVersion;
  refusal.status = reason;
  ControlServer::reply(introduction, refusal, -1);
  if (++refused_[reason] == 1 && reason == wire::ReplyStatus::kRefused)
    base::log_warning("more than {} programs were started; later ones are not traced",
                      wire::kMaxImages);
}

void Admission::report_unmapped_processes() {
  if (unmapped_ == 0) return;
  session_.recorder.warn(fmt::format(
      "{} not traced: no address space (ulimit -v) or no descriptor (ulimit -n) for the event "
      "buffer.",
      unmapped_ == 1 ? std::string("A process was") : fmt::format("{} processes were", unmapped_)));
}

void Admission::report_refusals() {
  report(refused_[wire::ReplyStatus::kWrongVersion],
         " processes loaded another version of libprof_inject.so and were not traced.");
  report(refused_[wire::ReplyStatus::kRefused],
         fmt::format(" processes were not traced: a session traces at most {} processes.",
                     wire::kMaxImages));
  if (arrivals_) strangers_ += arrivals_->misunderstood();
  report(strangers_, " connections to the session were not from a program under prof.");
  const auto unreachable = arena_.header()->failed_handshakes.load();
  if (unreachable == 0) return;
  session_.recorder.warn(fmt::format(
      "{} {} could not reach the profiler: another user, another root directory or a sandbox. "
      "Neither they nor the programs that they started as that user were traced.",
      unreachable, unreachable == 1 ? "forked process" : "forked processes"));
}

void Admission::report(std::uint64_t count, const std::string& text) {
  if (count > 0)
    session_.recorder.diagnostic(spool::Severity::kWarning, std::to_string(count) + text);
}

}  // namespace prof::session
