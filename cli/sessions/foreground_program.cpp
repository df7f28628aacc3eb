#include "cli/sessions/foreground_program.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "cli/messages/failure.hpp"
#include "collector/session/launch/launcher.hpp"
#include "collector/session/signals.hpp"
#include "collector/session/stream_capture.hpp"

namespace prof::cli {

namespace {

constexpr useconds_t kPause = 10'000;  // if there is nothing to wait for

// Called if only the program has stopped: somebody sent it SIGSTOP. The shell sees prof, so prof
// stops, too.
void stop_with(pid_t program) {
  kill(getpid(), SIGSTOP);
  kill(program, SIGCONT);
}

// True if a signal is meant for the program. The limit of CPU time (SIGXCPU) counts for prof's
// process; the program has a separate limit.
bool is_for(pid_t program, const signalfd_siginfo& info) {
  if (info.ssi_signo == SIGCHLD || info.ssi_signo == SIGXCPU) return false;
  return !session::has_reached_group(info) && static_cast<pid_t>(info.ssi_pid) != program;
}

// Waits for the program. Returns the status of waitpid.
int wait_for(pid_t program, const session::Signals& signals) {
  for (;;) {
    int status = 0;
    const pid_t changed = waitpid(program, &status, WNOHANG | WUNTRACED);
    if (changed == program && !WIFSTOPPED(status)) return status;
    if (changed == program) {
      stop_with(program);
      continue;
    }
    pollfd poll_signals{signals.fd(), POLLIN, 0};
    if (poll(&poll_signals, 1, -1) < 0 && errno != EINTR) usleep(kPause);
    while (const auto info = signals.next_of_all())
      if (is_for(program, *info)) kill(program, static_cast<int>(info->ssi_signo));
  }
}

}  // namespace

int run_in_foreground(const session::SessionOptions& options, const session::Preload& preload,
                      const std::string& directory, SessionClient& client) {
  const session::Signals signals;
  check(signals.status());
  base::UniqueFd out, error;
  if (!options.show_output) {
    out = session::redirected_stream(directory, 0);
    error = session::redirected_stream(directory, 1);
  }
  auto launch = take(session::Launch::prepare(
      {options.command[0], options.command,
       session::target_environment(
           options.inherit_environment ? environ : nullptr, options.environment, directory, preload,
           {options.has(wire::kFeatureNvtx), options.has(wire::kFeatureCuda)}),
       signals.original_mask(), signals.original_actions(), out.get(), error.get()}));
  const pid_t pid = launch.pid();
  client.ask({{"verb", "launched"}, {"pid", pid}});
  launch.start();
  check(launch.wait_for_exec());
  const int status = wait_for(pid, signals);
  const int exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  client.report_end(pid, exit_status);
  return exit_status;
}

}  // namespace prof::cli
