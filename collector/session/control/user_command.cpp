#include "collector/session/control/user_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "common/base/proc_ids.hpp"
#include "common/base/text/exec_words.hpp"
#include "common/wire/rank_variables.hpp"

namespace prof::session {

using std::chrono::milliseconds;

namespace {

using Clock = std::chrono::steady_clock;

// How long a process group may take to end after SIGTERM.
constexpr auto kGrace = milliseconds(2000);
constexpr auto kLongestPause = milliseconds(50);
constexpr char kPreload[] = "LD_PRELOAD=";

// Returns the rank that a launcher has given this process; empty if none has.
std::string own_rank() {
  const wire::RankSource* source = wire::find_rank_source(std::getenv);
  const char* rank = source == nullptr ? nullptr : std::getenv(source->rank);
  return rank == nullptr ? std::string() : rank;
}

std::vector<std::string> environment_of(const UserCommand& command) {
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each)
    if (std::strncmp(*each, kPreload, sizeof kPreload - 1) != 0) variables.emplace_back(*each);
  for (const char* prefix : {"NSYS_", "PROF_"}) {
    const auto add = [&](const char* name, const std::string& value) {
      if (!value.empty()) variables.push_back(prefix + std::string(name) + '=' + value);
    };
    add("CALLBACK_NAME", command.callback);
    add("SESSION_NAME", command.session);
    add("REPORT_PATH", command.report);
  }
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) variables.push_back(std::string(name) + '=' + value);
  };
  add("PROF_EXIT_STATUS", command.exit_status);
  add("PROF_RANK", own_rank());
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0) add("PROF_NODE", host);
  return variables;
}

void close_all_but_streams(int kept = -1) {
  for (const pid_t fd : base::ids_in("/proc/self/fd"))
    if (fd > STDERR_FILENO && fd != kept) close(fd);
}

// Becomes the command in a child of prof. prof has blocked signals, and has descriptors that must
// not be inherited.
[[noreturn]] void become(const UserCommand& command) {
  setpgid(0, 0);
  const std::vector<std::string> variables = environment_of(command);
  const std::vector<char*> environment = base::exec_words(variables);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  close_all_but_streams();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execle("/bin/sh", "sh", "-c", command.text.c_str(), nullptr, environment.data());
  _exit(127);
}

// Blocks the signals that ask prof to end, apart from those that are ignored.
class EndingSignals {
 public:
  EndingSignals() {
    sigemptyset(&signals_);
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      struct sigaction action {};
      if (sigaction(each, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(&signals_, each);
    }
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;
  ~EndingSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  // Returns true if such a signal comes within this time.
  bool wait(milliseconds longest) const {
    const timespec time{0, static_cast<long>(std::chrono::nanoseconds(longest).count())};
    return sigtimedwait(&signals_, nullptr, &time) > 0;
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

enum class Waited { kEnded, kTimeout, kSignal };

// Waits for the end of the child, until `due` or an ending signal.
Waited wait_for(pid_t pid, Clock::time_point due, const EndingSignals& signals, int& status) {
  milliseconds pause(1);
  while (true) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno == ECHILD)) return Waited::kEnded;
    if (Clock::now() >= due) return Waited::kTimeout;
    if (signals.wait(pause)) return Waited::kSignal;
    pause = std::min(2 * pause, kLongestPause);
  }
}

// Ends the command with all its children in its process group.
void end_group(pid_t pid, const EndingSignals& signals) {
  int status = 0;
  kill(-pid, SIGTERM);
  const bool ended = wait_for(pid, Clock::now() + kGrace, signals, status) == Waited::kEnded;
  kill(-pid, SIGKILL);
  if (!ended) waitpid(pid, nullptr, 0);
}

std::string text_of(Waited waited, int status, const UserCommand& command) {
  const std::string name = "--" + command.callback;
  if (waited == Waited::kSignal) return name + " was ended, because prof was asked to end";
  if (waited == Waited::kTimeout)
    return fmt::format("{} was ended after {} s (--hook-timeout)", name,
                       static_cast<double>(command.timeout.count()) / 1e3);
  if (WIFSIGNALED(status))
    return fmt::format("{} ended with status {}", name, 128 + WTERMSIG(status));
  if (WEXITSTATUS(status) != 0)
    return fmt::format("{} ended with status {}", name, WEXITSTATUS(status));
  return {};
}

}  // namespace

std::string run_user_command(const UserCommand& command) {
  if (command.text.empty()) return {};
  const EndingSignals signals;
  const auto due =
      command.timeout.count() == 0 ? Clock::time_point::max() : Clock::now() + command.timeout;
  const pid_t pid = fork();
  if (pid < 0) return fmt::format("--{}: {}", command.callback, std::strerror(errno));
  if (pid == 0) become(command);
  setpgid(pid, pid);  // as the child does: the first of both counts
  int status = 0;
  const Waited waited = wait_for(pid, due, signals, status);
  if (waited != Waited::kEnded) end_group(pid, signals);
  return text_of(waited, status, command);
}

// The command's watcher is a child of a child, so that nobody has to wait for it.
void StartedCommands::start(const UserCommand& command) {
  if (command.text.empty()) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  base::UniqueFd read_end(ends[0]);
  const base::UniqueFd write_end(ends[1]);
  const pid_t pid = fork();
  if (pid > 0) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    running_.push_back(std::move(read_end));
  }
  if (pid != 0) return;
  if (fork() != 0) _exit(0);
  setpgid(0, 0);  // a ^C is for the program
  close_all_but_streams(ends[1]);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const std::string failure = run_user_command(command);
  static_cast<void>(!write(ends[1], failure.data(), failure.size()));
  if (!failure.empty()) {
    const std::string line = "prof: " + failure + "\n";
    static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
  }
  _exit(0);
}

std::vector<std::string> StartedCommands::take_failures() {
  std::vector<std::string> failures;
  std::erase_if(running_, [&failures](const base::UniqueFd& end) {
    char text[256];
    const ssize_t bytes = read(end.get(), text, sizeof text);
    if (bytes < 0) return errno != EAGAIN && errno != EINTR;
    if (bytes > 0) failures.emplace_back(text, static_cast<std::size_t>(bytes));
    return true;
  });
  return failures;
}

}  // namespace prof::session
