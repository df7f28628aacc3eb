#include "cli/sessions/attachment.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/exit_status.hpp"
#include "collector/attach/attached_tree.hpp"
#include "collector/attach/target.hpp"
#include "collector/session/admission/process_facts.hpp"
#include "collector/session/interactive/session_registry.hpp"
#include "collector/session/signals.hpp"
#include "collector/spool/left_over.hpp"

namespace prof::cli {

using session::Message;
using Clock = std::chrono::steady_clock;

namespace {

// Ends a collection in a separate process, because that lasts until the report is written.
pid_t ask_aside(const std::string& session, const Message& request) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  // The guard then detaches from the programs.
  if (pid < 0) throw Failure(std::string("cannot start a process: ") + std::strerror(errno));
  if (pid != 0) return pid;
  _exit(exit_status_of([&] {
    SessionClient::find({session, {}}).ask(request);
    return 0;
  }));
}

// Returns whether the process has ended. Its status stays for wait_for().
bool is_over(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
}

std::vector<int> signals_of_recordings() {
  std::vector<int> signals;
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (session::use_of(signal) != session::SignalUse::kSystem) signals.push_back(signal);
  return signals;
}

// Returns the first user other than root that a process of the tree belongs to. Only root attaches
// to processes of others.
std::optional<uid_t> guest_of(pid_t root) {
  if (geteuid() != 0) return {};
  for (const pid_t process : attach::process_tree({root})) {
    const auto user = attach::user_of(process);
    if (user && *user != 0) return user;
  }
  return {};
}

void undo(const std::vector<pid_t>& processes, const std::string& library,
          const std::string& session) {
  exit_status_of([&] {
    detach_from(processes, library);
    return 0;
  });
  try {
    SessionClient::find({session, {}}).ask({{"verb", "shutdown"}, {"signal", 0}});
  } catch (const Failure&) {
    // The collection has already ended.
  }
}

}  // namespace

std::uint64_t detach_from(const std::vector<pid_t>& processes, const std::string& library) {
  const attach::DetachedTree tree = attach::detach_tree(processes, library);
  for (const auto& [process, failure] : tree.failures)
    print_message("prof: process {} still has prof's functions, which do nothing any more: {}\n",
                  process, failure);
  return tree.stopped_ns;
}

Attachment::Attachment(std::string name, std::string library)
    : name_(std::move(name)),
      library_(std::move(library)),
      guard_(signals_of_recordings(),
             [this](const auto& processes) { undo(processes, library_, name_); }) {}

Message Attachment::ask(const Message& request) const {
  return SessionClient::find({name_, {}}).ask(request);
}

// A session has one guest: its socket belongs to that user.
base::Status Attachment::check_guest(pid_t process) const {
  const auto user = attach::user_of(process);
  if (!user || *user == geteuid() || user == guest_) return {};
  return base::fail(fmt::format(
      "process {} ({}) belongs to user {}: the processes of one recording can belong to root and "
      "to one other user. Attach to it alone: prof attach {}",
      process, attach::name_of(process), *user, process));
}

// Returns false if the process has ended.
bool Attachment::announce(pid_t process) {
  base::UniqueFd pidfd = session::open_pidfd(process);
  if (!pidfd || session::is_dead(process)) return false;
  try {
    client_->ask({{"verb", "launched"}, {"pid", process}});
  } catch (const Failure&) {
    if (session::is_dead(process)) return false;
    throw;
  }
  processes_.push_back({process, std::move(pidfd)});
  return true;
}

bool Attachment::attach_to(pid_t process, const std::string& directory, bool is_first) {
  auto check = attach::check_target(process);
  if (check) check = attach::check_reach(process, library_);
  if (check) check = attach::check_reach(process, directory);
  if (check) check = attach::check_readable(process, library_);
  if (check) check = check_guest(process);
  guard_.add(process);
  const auto attached = check ? attach::attach(process, library_, directory)
                              : base::Result<attach::Outcome>(tl::make_unexpected(check.error()));
  if (attached && (announce(process) || !is_first)) {
    total_.stopped_ns = std::max(total_.stopped_ns, attached->stopped_ns);
    total_.patched += attached->patched;
    total_.nvtx_tables += attached->nvtx_tables;
    return true;
  }
  if (is_first) throw Failure(attached ? "the program has ended" : attached.error().message);
  if (!session::is_dead(process)) print_message("prof: {}\n", attached.error().message);
  return false;
}

void Attachment::attach_to_tree(pid_t root, const std::string& directory) {
  attach::for_each_unattached(
      root, [&](pid_t process) { attach_to(process, directory, process == root); });
}

void Attachment::begin(pid_t root, const Request& request) {
  is_flight_recorder_ = request.is_flight_recorder;
  output_ = request.output;
  Message launch{{"verb", "launch"},
                 {"words", request.launch_words},
                 {"command", {attach::name_of(root)}},
                 {"features", request.features},
                 {"folder", current_folder()},
                 {"warnings", request.warnings},
                 {"attached", std::vector<pid_t>{getpid(), guard_.pid()}}};
  guest_ = guest_of(root);
  if (guest_) launch["guest"] = *guest_;
  if (is_flight_recorder_) {
    launch["start_words"] = request.start_words;
    launch["output"] = request.output;
  }
  auto [client, answer] = SessionClient::open({{}, name_}, launch);
  client_.emplace(std::move(client));
  signals_.emplace(true);  // only now: the session's process handles its own signals
  check(signals_->status());
  attach_to_tree(root, answer.at("directory").get<std::string>());
  begin_collection(request);
  print_message(
      "prof: attached to {} {} ({} {}): {} function pointers and {} NVTX tables lead to prof. No "
      "thread was stopped for more than {:.2f} ms. ^C ends the recording; the program goes on\n",
      processes_.size(), processes_.size() == 1 ? "process" : "processes", root,
      attach::name_of(root), total_.patched, total_.nvtx_tables,
      static_cast<double>(total_.stopped_ns) * 1e-6);
}

void Attachment::begin_collection(const Request& request) {
  if (is_flight_recorder_)
    ask({{"verb", "begin"}});
  else
    ask({{"verb", "start"},
         {"words", request.start_words},
         {"output", request.output},
         {"folder", current_folder()}});
}

bool Attachment::have_all_ended() const {
  return std::all_of(processes_.begin(), processes_.end(),
                     [](const Process& each) { return session::is_dead(each.pid); });
}

// Returns whether a signal has ended the recording. SIGUSR1 does not: it asks a flight recorder for
// a report.
bool Attachment::handle_signals() {
  bool is_end = false;
  while (const auto info = signals_->next()) {
    if (info->ssi_signo != SIGUSR1) {
      is_end |= info->ssi_signo != SIGCHLD;
      continue;
    }
    if (const auto described = describe_session(name_))
      if (const pid_t collector = described->value("id", 0); collector > 0)
        kill(collector, SIGUSR1);
  }
  return is_end;
}

int Attachment::report_killed_collector() const {
  const std::string spool = output_ + ".spool";
  std::error_code error;
  const bool is_left = std::filesystem::exists(spool, error);
  print_message("prof: the session's collector was killed; the program goes on. {}\n",
                is_left ? "To make the report: " + spool::recovery_command(spool)
                        : "Nothing of the recording is left");
  return kFailed;
}

int Attachment::wait(std::optional<std::chrono::nanoseconds> duration) {
  const auto end = Clock::now() + duration.value_or(std::chrono::nanoseconds(0));
  std::vector<pollfd> watched{{signals_->fd(), POLLIN, 0}, {client_->fd(), POLLIN, 0}};
  const std::size_t first_process = watched.size();
  for (const Process& process : processes_) watched.push_back({process.pidfd.get(), POLLIN, 0});
  constexpr int kInterrupted = 1;
  for (;;) {
    int patience = -1;
    if (duration) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
      if (left <= 0) return 0;
      patience = static_cast<int>(std::min<long>(left, 1 << 30));
    }
    if (poll(watched.data(), watched.size(), patience) < 0 && errno != EINTR) return kInterrupted;
    if (handle_signals()) return 0;
    if (watched[1].revents != 0) return client_->has_ended_well() ? 0 : report_killed_collector();
    // The pidfd of an ended process would be reported again and again.
    for (std::size_t i = first_process; i < watched.size(); ++i)
      if (watched[i].revents != 0) watched[i].fd = -1;
    if (have_all_ended()) return 0;
  }
}

bool Attachment::is_collecting() const {
  const auto described = describe_session(name_);
  const std::string state = described ? described->value("state", "") : "";
  return state == "Collection" || state == kNoAnswer;
}

std::vector<pid_t> Attachment::all_processes() const {
  std::vector<pid_t> pids;
  for (const Process& process : processes_) pids.push_back(process.pid);
  if (const auto described = describe_session(name_))
    for (const pid_t pid : described->value("processes", std::vector<pid_t>())) pids.push_back(pid);
  return pids;
}

void Attachment::detach_all() const {
  const std::uint64_t stopped_ns = detach_from(all_processes(), library_);
  print_message("prof: detached. No thread was stopped for more than {:.2f} ms\n",
                static_cast<double>(stopped_ns) * 1e-6);
}

void Attachment::report_ends() const {
  // The kernel reports how a process ended only after its parent has asked.
  constexpr int kTries = 40;
  for (const Process& process : processes_) {
    std::optional<int> status;
    for (int i = 0; i < kTries && !status; ++i) {
      status = session::exit_status_of(process.pidfd.get());
      if (!status) usleep(5000);
    }
    SessionClient::find({name_, {}}).report_end(process.pid, status);
  }
}

int Attachment::end() {
  if (have_all_ended()) {
    report_ends();
    guard_.dismiss();
    return 0;
  }
  const bool collects = is_collecting();
  const Message shutdown{{"verb", "shutdown"}, {"signal", 0}};
  pid_t ending = -1;
  if (collects)
    ending =
        ask_aside(name_, is_flight_recorder_ ? shutdown : Message{{"verb", "stop"}, {"keep", 0}});
  while (collects && !is_over(ending) && is_collecting()) usleep(2000);
  detach_all();
  const int status = collects ? wait_for(ending) : 0;
  if (session::connect_to_session(name_) && !is_flight_recorder_) ask(shutdown);
  // Waits until the next prof attach can create a session of this name.
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries && session::connect_to_session(name_); ++i) usleep(5000);
  guard_.dismiss();
  return status;
}

}  // namespace prof::cli
