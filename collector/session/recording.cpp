#include "collector/session/recording.hpp"

#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <unordered_map>

#include "collector/ingest/arena.hpp"
#include "collector/ingest/arena_reader.hpp"
#include "collector/ingest/clock_model.hpp"
#include "collector/ingest/spool.hpp"
#include "collector/session/control_server.hpp"
#include "collector/session/host_info.hpp"
#include "collector/session/injection_library.hpp"
#include "collector/session/launcher.hpp"
#include "collector/session/live_processes.hpp"
#include "collector/session/session_directory.hpp"
#include "collector/session/stream_capture.hpp"
#include "collector/session/target_program.hpp"

namespace prof::session {

using base::fail_errno;
using base::Status;
using base::UniqueFd;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

constexpr std::uint32_t kInitialChunks = 256;      // 16 MiB
constexpr auto kPollInterval = milliseconds(10);
constexpr auto kClockInterval = milliseconds(1000);
constexpr auto kMemberScanInterval = milliseconds(100);
constexpr auto kTerminateGrace = milliseconds(5000);
constexpr int kInterruptsToGiveUp = 3;

constexpr std::pair<wire::DropCause, const char*> kDropNames[] = {
    {wire::DropCause::kNoChunk, "no_chunk"},       {wire::DropCause::kReentered, "reentered"},
    {wire::DropCause::kThreadGone, "thread_gone"}, {wire::DropCause::kTooLarge, "too_large"},
    {wire::DropCause::kConnecting, "connecting"}};

// Blocks the signals the loop wants to hear of, and remembers how things were for the target.
class Signals {
 public:
  Signals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&blocked, signal);
    sigprocmask(SIG_BLOCK, &blocked, &original_mask_);
    // An inherited SIG_IGN would reap the target's exit status before we see it.
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, &original_child_action_);
    fd_.reset(signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~Signals() {
    sigaction(SIGCHLD, &original_child_action_, nullptr);
    sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const { return fd_.get(); }
  const sigset_t& original_mask() const { return original_mask_; }
  const struct sigaction& original_child_action() const { return original_child_action_; }

 private:
  sigset_t original_mask_{};
  struct sigaction original_child_action_ {};
  UniqueFd fd_;
};

// A process tree can be wide: one pidfd and, for a moment, one connection each.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Keeps the buffer below an eighth of what the machine has to give.
std::uint32_t affordable_chunks() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_AVPHYS_PAGES)));
  const std::uint64_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 8;
  const auto chunks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(bytes / wire::kChunkBytes, wire::kMaxChunks));
  return std::max(chunks, 64U);
}

class Recording {
 public:
  Recording(const SessionOptions& options, SessionDirectory directory, ControlServer server,
            ingest::Arena arena, ingest::SpoolWriter spool, StreamCapture streams,
            const Signals& signals)
      : options_(options),
        directory_(std::move(directory)),
        server_(std::move(server)),
        arena_(std::move(arena)),
        reader_(arena_),
        spool_(std::move(spool)),
        streams_(std::move(streams)),
        signals_(signals),
        epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    result_.spool = spool_.path();
  }

  // Lets the target go.
  Status start(Launch& target, const TargetProgram& program);
  void serve();
  RecordingResult finish();

 private:
  void watch(int fd);
  void note(const nlohmann::json& note) { keep(spool_.note(note)); }
  void keep(const Status& status);
  void write_session_note();
  void diagnostic(int severity, const std::string& text);

  void handle(int fd);
  void handle_signals();
  void handle_user_signal(const signalfd_siginfo& info);
  void reap_target();
  void greet(UniqueFd connection);
  wire::Reply reply_for(const LiveProcess& process) const;
  void end_images(std::vector<LiveProcess> images);
  nlohmann::json take_drops(std::uint32_t slot);
  void drain();
  bool finished();

  const SessionOptions& options_;
  SessionDirectory directory_;
  ControlServer server_;
  ingest::Arena arena_;
  ingest::ArenaReader reader_;
  ingest::SpoolWriter spool_;
  StreamCapture streams_;
  const Signals& signals_;
  UniqueFd epoll_;
  LiveProcesses processes_;
  std::unordered_map<int, UniqueFd> connections_;  // accepted, waiting for their Hello
  RecordingResult result_;

  bool use_tsc_ = ingest::tsc_is_reliable();
  double tick_rate_ = 1e9;
  pid_t target_ = 0;
  bool target_running_ = false;
  int interrupts_ = 0;
  bool give_up_ = false;  // finish without waiting for anybody
  bool drain_now_ = false;
  Clock::time_point last_clock_{};
  Clock::time_point last_scan_{};
  Clock::time_point give_up_at_ = Clock::time_point::max();
};

void Recording::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

// The first failure to write the spool is told at once: it is the moment to free some space.
void Recording::keep(const Status& status) {
  if (status || !result_.spool_error.empty()) return;
  result_.spool_error = status.error().message;
  spdlog::error("{}; the program goes on, but events are being lost", result_.spool_error);
}

void Recording::diagnostic(int severity, const std::string& text) {
  note({{"type", "diagnostic"}, {"severity", severity}, {"text", text}});
}

void Recording::write_session_note() {
  note({{"type", "session"},
        {"version", options_.version},
        {"tick_rate", tick_rate_},
        {"system", describe_host()},
        {"capture", options_.capture}});
}

Status Recording::start(Launch& target, const TargetProgram& program) {
  if (use_tsc_) tick_rate_ = ingest::measure_tsc_rate();
  raise_descriptor_limit();
  for (const int fd : {server_.listener(), server_.pipe(), signals_.fd()}) watch(fd);
  write_session_note();
  for (const auto* warnings : {&options_.warnings, &program.warnings}) {
    for (const std::string& warning : *warnings) {
      spdlog::warn("{}", warning);
      diagnostic(2, warning);
    }
  }
  keep(spool_.clock(ingest::read_clocks(use_tsc_)));
  last_clock_ = Clock::now();
  target_ = target.pid();
  if (Status gone = target.go(); !gone) return gone;
  target_running_ = true;
  return {};
}

void Recording::serve() {
  Clock::time_point next_drain = Clock::now();
  while (!finished()) {
    epoll_event events[64];
    const int count = epoll_wait(epoll_.get(), events, 64, kPollInterval.count());
    for (int i = 0; i < count; ++i) handle(events[i].data.fd);
    end_images(processes_.take_vanished());
    const auto now = Clock::now();
    if (now < next_drain && !drain_now_) continue;
    drain();
    drain_now_ = false;
    next_drain = now + kPollInterval;
    if (now - last_clock_ < kClockInterval) continue;
    keep(spool_.clock(ingest::read_clocks(use_tsc_)));
    last_clock_ = now;
  }
}

void Recording::handle(int fd) {
  if (fd == server_.listener()) {
    while (UniqueFd connection = server_.accept()) {
      watch(connection.get());
      const int number = connection.get();
      connections_[number] = std::move(connection);
    }
  } else if (fd == server_.pipe()) {
    drain_now_ |= server_.take_announcements();
  } else if (fd == signals_.fd()) {
    handle_signals();
  } else if (const auto found = connections_.find(fd); found != connections_.end()) {
    UniqueFd connection = std::move(found->second);
    connections_.erase(found);
    greet(std::move(connection));
  } else if (const pid_t pid = processes_.owner_of(fd); pid != 0) {
    end_images(processes_.take(pid));
  }
}

void Recording::greet(UniqueFd connection) {
  const auto introduction = ControlServer::receive(std::move(connection));
  if (!introduction) return;
  const wire::Hello& hello = introduction->hello;
  if (hello.version != wire::kWireVersion) {
    wire::Reply refusal{};
    refusal.magic = wire::kHandshakeMagic;
    refusal.version = wire::kWireVersion;
    refusal.status = wire::ReplyStatus::kWrongVersion;
    ControlServer::reply(*introduction, refusal, -1);
    diagnostic(2, "A process loaded another version of libprof_inject.so and is not traced.");
    return;
  }
  const pid_t pid = introduction->pid != 0 ? introduction->pid : hello.pid;
  if (hello.kind == wire::ProcessKind::kStart) end_images(processes_.take(pid));  // exec
  const LiveProcess& process = processes_.add(pid);
  if (process.pidfd) watch(process.pidfd.get());
  const bool forked = hello.kind == wire::ProcessKind::kFork;
  note({{"type", "process"},
        {"serial", process.serial},
        {"parent_serial", forked ? hello.parent_serial : 0},
        {"pid", pid},
        {"own_pid", hello.pid},
        {"ppid", hello.ppid},
        {"time", use_tsc_ ? hello.time : ingest::read_clocks(false).ticks},
        {"name", process_name(pid)}});
  ++result_.processes;
  ControlServer::reply(*introduction, reply_for(process), forked ? -1 : arena_.fd());
}

wire::Reply Recording::reply_for(const LiveProcess& process) const {
  wire::Reply reply{};
  reply.magic = wire::kHandshakeMagic;
  reply.version = wire::kWireVersion;
  reply.status = wire::ReplyStatus::kTrace;
  reply.features = (options_.trace_osrt ? wire::kFeatureOsrt : 0) |
                   (options_.trace_nvtx ? wire::kFeatureNvtx : 0) |
                   (options_.repair_environment ? wire::kFeatureRepairEnvironment : 0);
  reply.clock = use_tsc_ ? wire::ClockSource::kTsc : wire::ClockSource::kMonotonicRaw;
  reply.serial = process.serial;
  reply.slot = process.slot;
  reply.max_chunks = arena_.max_chunks();
  reply.osrt_threshold =
      static_cast<std::uint64_t>(static_cast<double>(options_.osrt_threshold_ns) * tick_rate_ / 1e9);
  reply.nvtx_filter = options_.nvtx_filter;
  for (const std::string& domain : options_.nvtx_domains) {
    const std::size_t bytes = domain.size() + 1;
    if (reply.nvtx_domain_bytes + bytes > sizeof reply.nvtx_domains) break;
    std::memcpy(reply.nvtx_domains + reply.nvtx_domain_bytes, domain.c_str(), bytes);
    reply.nvtx_domain_bytes += static_cast<std::uint32_t>(bytes);
  }
  return reply;
}

// Takes the images' last records and counters; they write no more.
void Recording::end_images(std::vector<LiveProcess> images) {
  if (images.empty()) return;
  for (const LiveProcess& image : images) reader_.mark_dead(image.serial);
  drain();
  for (const LiveProcess& image : images)
    note({{"type", "process_end"}, {"serial", image.serial}, {"dropped", take_drops(image.slot)}});
}

nlohmann::json Recording::take_drops(std::uint32_t slot) {
  nlohmann::json drops = nlohmann::json::object();
  for (const auto& [cause, name] : kDropNames) {
    auto& counter = arena_.header()->slots[slot].dropped[static_cast<std::size_t>(cause)];
    if (const std::uint64_t count = counter.exchange(0, std::memory_order_relaxed); count > 0)
      drops[name] = count;
  }
  return drops;
}

void Recording::drain() {
  const auto drained = reader_.drain(
      [this](const ingest::PieceHeader& piece, std::span<const std::byte> bytes) {
        return spool_.records(piece, bytes);
      });
  if (!drained) {
    keep(tl::make_unexpected(drained.error()));
    return;
  }
  result_.bytes += drained->bytes;
  // Threads ask for attention from the first quarter on (injection/core/ring_writer.cpp).
  while (drained->owned_chunks * 4 > arena_.backed() && arena_.grow()) {
  }
}

void Recording::handle_signals() {
  signalfd_siginfo info{};
  while (read(signals_.fd(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD)
      reap_target();
    else
      handle_user_signal(info);
  }
}

// A signal from the terminal has reached the target too; one sent to us alone is passed on. Either
// way the target decides, and we wait for it, but not for ever.
void Recording::handle_user_signal(const signalfd_siginfo& info) {
  const auto signal = static_cast<int>(info.ssi_signo);
  const bool from_terminal = info.ssi_code == SI_KERNEL;
  if (target_running_ && !from_terminal) kill(target_, signal);
  if (signal == SIGTERM || signal == SIGHUP) {
    give_up_at_ = std::min(give_up_at_, Clock::now() + kTerminateGrace);
    return;
  }
  ++interrupts_;
  if (interrupts_ >= kInterruptsToGiveUp || !target_running_) {
    spdlog::warn("interrupted; writing the report without waiting for the program");
    give_up_ = true;
  }
}

void Recording::reap_target() {
  int status = 0;
  if (!target_running_ || waitpid(target_, &status, WNOHANG) != target_) return;
  target_running_ = false;
  result_.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool Recording::finished() {
  if (give_up_) return true;
  const auto now = Clock::now();
  if (now >= give_up_at_) {
    if (target_running_)
      spdlog::warn("the program is still running; writing the report without waiting for it");
    return true;
  }
  if (target_running_) return false;
  if (options_.wait == Wait::kPrimary) return true;
  if (!processes_.empty()) return false;
  // Children that have not said hello yet, or cannot: they carry the session in their environment.
  if (now - last_scan_ < kMemberScanInterval) return false;
  last_scan_ = now;
  return processes_of_session(directory_.path()).empty();
}

RecordingResult Recording::finish() {
  arena_.close_recording();
  end_images(processes_.take_all());
  drain();
  for (const CapturedStream& stream : streams_.collect())
    note({{"type", "stream"}, {"pid", target_}, {"file", stream.file}, {"content", stream.content}});
  if (const auto failed = arena_.header()->failed_handshakes.load(); failed > 0)
    diagnostic(2, std::to_string(failed) + " forked processes could not reach the profiler.");
  if (reader_.corrupt_chunks() > 0)
    diagnostic(3, std::to_string(reader_.corrupt_chunks()) + " event buffers were damaged.");
  keep(spool_.clock(ingest::read_clocks(use_tsc_)));
  note({{"type", "end"}, {"exit_status", result_.exit_status}});
  return result_;
}

}  // namespace

std::string spool_path(const std::string& output) { return output + ".spool"; }

namespace {

base::Result<TargetProgram> inspect(const SessionOptions& options) {
  const char* search_path = getenv("PATH");
  return inspect_program(options.command[0],
                         search_path != nullptr ? search_path : "/bin:/usr/bin");
}

// The spool doubles as the claim on the output's name.
base::Result<ingest::SpoolWriter> claim_output(const std::string& output, bool overwrite) {
  std::error_code error;
  if (!overwrite && std::filesystem::exists(output, error))
    return base::fail(output + " exists; use -f true to replace it, or another name with -o");
  const std::string spool = spool_path(output);
  if (std::filesystem::exists(spool, error))
    return base::fail(spool + " exists: either prof is recording to it, or it was killed and the "
                      "recording can be saved with: prof recover " + spool);
  return ingest::SpoolWriter::create(spool);
}

std::string with_pid(std::string text, pid_t pid) {
  for (std::size_t at = text.find("%p"); at != std::string::npos; at = text.find("%p", at))
    text.replace(at, 2, std::to_string(pid));
  return text;
}

}  // namespace

base::Result<RecordingResult> record(const SessionOptions& options) {
  auto library = find_injection_library();
  if (!library) return tl::make_unexpected(library.error());
  auto program = inspect(options);
  if (!program) return tl::make_unexpected(program.error());
  auto directory = SessionDirectory::create();
  if (!directory) return tl::make_unexpected(directory.error());
  auto server = ControlServer::create(*directory);
  if (!server) return tl::make_unexpected(server.error());
  const std::uint32_t chunks = affordable_chunks();
  auto arena = ingest::Arena::create(std::min(kInitialChunks, chunks), chunks);
  if (!arena) return tl::make_unexpected(arena.error());
  auto streams = StreamCapture::create(*directory, options.show_output);
  if (!streams) return tl::make_unexpected(streams.error());

  const Signals signals;
  auto target = Launch::prepare(
      {options.command,
       target_environment(options.inherit_environment ? environ : nullptr, options.environment,
                          directory->path(), *library, program->preload_first, options.trace_nvtx),
       signals.original_mask(), signals.original_child_action(), streams->stdout_fd(),
       streams->stderr_fd()});
  if (!target) return tl::make_unexpected(target.error());
  const std::string output = with_pid(options.output, target->pid());
  auto spool = claim_output(output, options.overwrite);
  if (!spool) return tl::make_unexpected(spool.error());

  const std::string path = spool->path();
  Recording recording(options, std::move(*directory), std::move(*server), std::move(*arena),
                      std::move(*spool), std::move(*streams), signals);
  if (Status started = recording.start(*target, *program); !started) {
    unlink(path.c_str());
    return tl::make_unexpected(started.error());
  }
  recording.serve();
  RecordingResult result = recording.finish();
  result.output = output;
  return result;
}

}  // namespace prof::session
