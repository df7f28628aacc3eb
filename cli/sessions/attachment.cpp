#include "cli/sessions/attachment.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "cli/failure.hpp"
#include "cli/output/exit_status.hpp"
#include "cli/output/message.hpp"
#include "collector/attach/target.hpp"
#include "collector/session/admission/process_facts.hpp"
#include "collector/session/interactive/session_registry.hpp"
#include "collector/session/signals.hpp"

namespace prof::cli {

using session::Message;
using Clock = std::chrono::steady_clock;

namespace {

// With the child processes that came later.
std::vector<pid_t> with_children(const std::vector<pid_t>& processes) {
  std::set<pid_t> all;
  for (const pid_t process : processes)
    for (const pid_t each : attach::process_tree(process)) all.insert(each);
  return {all.begin(), all.end()};
}

void detach_from(const std::vector<pid_t>& processes, const std::string& library) {
  for (const pid_t process : processes) {
    if (!attach::is_attached(process)) continue;
    const auto detached = attach::detach(process, library);
    if (!detached && !session::is_dead(process))
      print_message("prof: process {} still has prof's functions, which do nothing any more: {}\n",
                    process, detached.error().message);
  }
}

// Ends a collection in a separate process, because it takes until the report is written.
pid_t ask_aside(const std::string& session, const Message& request) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  _exit(exit_status_of([&] {
    SessionClient::find({session, {}}).ask(request);
    return 0;
  }));
}

// Leaves it to wait_for().
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

}  // namespace

AttachGuard::AttachGuard(std::string session, std::string library)
    : session_(std::move(session)), library_(std::move(library)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Failure("cannot create a pipe");
  pipe_.reset(ends[1]);
  std::fflush(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw Failure("cannot start a process");
  if (pid_ == 0) {
    pipe_.reset();
    watch(ends[0]);
    _exit(0);
  }
  close(ends[0]);
}

AttachGuard::~AttachGuard() {
  pipe_.reset();
  wait_for(pid_);
}

void AttachGuard::dismiss() {
  constexpr pid_t kDone = 0;
  static_cast<void>(!write(pipe_.get(), &kDone, sizeof kDone));
}

void AttachGuard::add(pid_t process) {
  static_cast<void>(!write(pipe_.get(), &process, sizeof process));
}

// The pipe ends with prof, however that ends.
void AttachGuard::watch(int pipe) const {
  setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "prof-guard");
  std::vector<pid_t> processes;
  pid_t process = 0;
  while (read(pipe, &process, sizeof process) == sizeof process) {
    if (process == 0) return;
    processes.push_back(process);
  }
  if (processes.empty()) return;
  detach_from(with_children(processes), library_);
  exit_status_of([&] {
    SessionClient::find({session_, {}}).ask({{"verb", "shutdown"}, {"signal", 0}});
    return 0;
  });
}

Attachment::Attachment(std::string name, std::string library)
    : name_(std::move(name)), library_(std::move(library)), guard_(name_, library_) {}

Message Attachment::ask(const Message& request) const {
  return SessionClient::find({name_, {}}).ask(request);
}

void Attachment::announce(pid_t process) {
  client_->ask({{"verb", "launched"}, {"pid", process}});
  processes_.push_back({process, session::open_pidfd(process)});
}

bool Attachment::attach_to(pid_t process, const std::string& directory, bool is_first) {
  auto check = attach::check_target(process);
  if (check) check = attach::check_reach(process, library_);
  if (check) check = attach::check_reach(process, directory);
  guard_.add(process);
  const auto attached = check ? attach::attach(process, library_, directory)
                              : base::Result<attach::Outcome>(tl::make_unexpected(check.error()));
  if (attached) {
    announce(process);
    total_.stopped_ns = std::max(total_.stopped_ns, attached->stopped_ns);
    total_.patched += attached->patched;
    total_.nvtx_tables += attached->nvtx_tables;
    return true;
  }
  if (is_first) {
    ask({{"verb", "shutdown"}, {"signal", 0}});
    guard_.dismiss();
    throw Failure(attached.error().message);
  }
  if (!session::has_ended(process)) print_message("prof: {}\n", attached.error().message);
  return false;
}

void Attachment::begin(const std::vector<pid_t>& processes, const Request& request) {
  auto [client, answer] =
      SessionClient::open({{}, name_}, {{"verb", "launch"},
                                        {"words", request.launch_words},
                                        {"command", {attach::name_of(processes.front())}},
                                        {"features", request.features},
                                        {"folder", current_folder()},
                                        {"warnings", request.warnings}});
  client_.emplace(std::move(client));
  signals_.emplace();  // after the session's process has been started, which handles its own
  const std::string directory = answer.at("directory").get<std::string>();
  for (const pid_t process : processes) attach_to(process, directory, process == processes.front());
  ask({{"verb", "start"},
       {"words", request.start_words},
       {"output", request.output},
       {"folder", current_folder()}});
  print_message(
      "prof: attached to {} {} ({} {}): {} function pointers and {} NVTX tables lead to prof. No "
      "thread was stopped for more than {:.1f} ms. ^C ends the recording; the program goes on\n",
      processes_.size(), processes_.size() == 1 ? "process" : "processes", processes.front(),
      attach::name_of(processes.front()), total_.patched, total_.nvtx_tables,
      static_cast<double>(total_.stopped_ns) * 1e-6);
}

bool Attachment::have_all_ended() const {
  return std::all_of(processes_.begin(), processes_.end(),
                     [](const Process& each) { return session::is_dead(each.pid); });
}

int Attachment::wait(std::optional<std::chrono::nanoseconds> duration) {
  const auto end = Clock::now() + duration.value_or(std::chrono::nanoseconds(0));
  std::vector<pollfd> watched{{signals_->fd(), POLLIN, 0}};
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
    signalfd_siginfo info{};
    while (read(signals_->fd(), &info, sizeof info) == sizeof info)
      if (info.ssi_signo != SIGCHLD) return 0;
    // An ended process would be reported again and again.
    for (std::size_t i = 1; i < watched.size(); ++i)
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
  return with_children(pids);
}

void Attachment::detach_all() const { detach_from(all_processes(), library_); }

int Attachment::end() {
  if (have_all_ended()) {
    for (const Process& process : processes_)
      SessionClient::find({name_, {}}).report_end(process.pid, 0);
    guard_.dismiss();
    return 0;
  }
  const pid_t stopping = ask_aside(name_, {{"verb", "stop"}, {"keep", 0}});
  while (!is_over(stopping) && is_collecting()) usleep(2000);
  detach_all();
  const int status = wait_for(stopping);
  ask({{"verb", "shutdown"}, {"signal", 0}});
  guard_.dismiss();
  // So that the next prof attach can create a session of this name.
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries && session::connect_to_session(name_); ++i) usleep(5000);
  return status;
}

}  // namespace prof::cli
