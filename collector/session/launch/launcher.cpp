#include "collector/session/launch/launcher.hpp"

#include <fcntl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <utility>

#include "common/base/text/exec_words.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

using base::fail_errno;
using base::UniqueFd;

namespace {

// Runs in the child, between fork and exec. Reports errno through the pipe if exec fails.
[[noreturn]] void become_target(const LaunchRequest& request, char* const* arguments,
                                char* const* environment, int start_pipe, int error_pipe) {
  char go;
  if (read(start_pipe, &go, 1) != 1) _exit(127);
  if (request.stdout_fd >= 0) dup2(request.stdout_fd, STDOUT_FILENO);
  if (request.stderr_fd >= 0) dup2(request.stderr_fd, STDERR_FILENO);
  for (const auto& [signal, action] : request.signal_actions) sigaction(signal, &action, nullptr);
  sigprocmask(SIG_SETMASK, &request.signal_mask, nullptr);
  execvpe(request.path.c_str(), arguments, environment);
  const int error = errno;
  static_cast<void>(!write(error_pipe, &error, sizeof error));
  _exit(error == ENOENT ? 127 : 126);
}

constexpr decltype(ITIMER_REAL) kTimers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

// The timers of setitimer(2) and alarm(2). An exec keeps them, but a fork does not. Without prof
// the program would have them, so they are passed to the program; prof does not need them.
class Timers {
 public:
  Timers() {
    for (std::size_t i = 0; i < std::size(kTimers); ++i) getitimer(kTimers[i], &values_[i]);
  }
  void set() const {
    for (std::size_t i = 0; i < std::size(kTimers); ++i)
      setitimer(kTimers[i], &values_[i], nullptr);
  }
  static void clear() {
    constexpr itimerval kOff{};
    for (const auto timer : kTimers) setitimer(timer, &kOff, nullptr);
  }

 private:
  itimerval values_[std::size(kTimers)] = {};
};

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

base::Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_errno("cannot create a pipe", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

base::Result<Launch> Launch::prepare(const LaunchRequest& request) {
  const std::vector<char*> arguments = base::exec_words(request.command);
  const std::vector<char*> environment = base::exec_words(request.environment);
  auto start = make_pipe();
  auto error = make_pipe();
  if (!start || !error) return tl::make_unexpected((start ? error : start).error());
  const Timers timers;
  const pid_t pid = fork();
  if (pid < 0) return fail_errno("cannot start " + request.command[0], errno);
  if (pid == 0) {
    start->write_end.reset();
    timers.set();
    become_target(request, arguments.data(), environment.data(), start->read_end.get(),
                  error->write_end.get());
  }
  Timers::clear();
  return Launch(pid, request.command[0], std::move(start->write_end), std::move(error->read_end));
}

Launch::Launch(Launch&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      program_(std::move(other.program_)),
      start_(std::move(other.start_)),
      error_(std::move(other.error_)) {}

Launch::~Launch() {
  if (!start_) return;
  start_.reset();
  waitpid(pid_, nullptr, 0);
}

void Launch::start() {
  static_cast<void>(!write(start_.get(), "g", 1));
  start_.reset();
}

base::Status Launch::wait_for_exec() {
  int error = 0;
  ssize_t bytes;
  do {
    bytes = read(error_.get(), &error, sizeof error);
  } while (bytes < 0 && errno == EINTR);
  if (bytes != sizeof error) return {};  // a successful exec has closed the pipe
  waitpid(pid_, nullptr, 0);
  return fail_errno("cannot run " + program_, error);
}

}  // namespace prof::session
