#include "cli/output/pager.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/output/terminal.hpp"

namespace prof::cli {

namespace {

pid_t g_pager = 0;  // for the signal handler

void wait_for_pager() {
  while (waitpid(g_pager, nullptr, 0) < 0 && errno == EINTR) continue;
}

// Waits until the pager has ended. Otherwise two programs would read from the terminal.
void end_after_pager(int signal) {
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
  wait_for_pager();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void set_signals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(signal, handler);
}

// Returns the pager's command; empty for none.
const char* pager_command() {
  for (const char* name : {"PROF_PAGER", "PAGER"})
    if (const char* command = std::getenv(name))
      return std::string_view(command) == "cat" ? "" : command;
  return "less";
}

[[noreturn]] void run_pager(const char* command, int input) {
  dup2(input, STDIN_FILENO);
  // F: end at once if the text fits the screen. R: show colors. S: do not fold lines. X: leave the
  // text on the screen.
  setenv("LESS", "FRSX", 0);
  setenv("LV", "-c", 0);
  execl("/bin/sh", "sh", "-c", command, nullptr);
  _exit(127);
}

}  // namespace

Pager::Pager(bool wanted) {
  if (!wanted || !is_terminal(STDOUT_FILENO)) return;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return;
  if (const char* command = pager_command(); *command != '\0') start(command);
}

void Pager::start(const char* command) {
  int ends[2];
  std::fflush(stdout);
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t pid = fork();
  if (pid == 0) run_pager(command, ends[0]);
  close(ends[0]);
  if (pid > 0) {
    g_pager = pid;
    set_signals(end_after_pager);
    stdout_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (is_terminal(STDERR_FILENO)) {
      stderr_ = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
      dup2(ends[1], STDERR_FILENO);
    }
    dup2(ends[1], STDOUT_FILENO);
  }
  close(ends[1]);
}

Pager::~Pager() {
  if (stdout_ < 0) return;
  std::fflush(stdout);
  // Closes the last copy of the pipe, so that the pager reads the end.
  dup2(stdout_, STDOUT_FILENO);
  close(stdout_);
  if (stderr_ >= 0) {
    dup2(stderr_, STDERR_FILENO);
    close(stderr_);
  }
  std::signal(SIGINT, SIG_IGN);  // the signal is meant for the pager
  wait_for_pager();
  set_signals(SIG_DFL);
}

}  // namespace prof::cli
