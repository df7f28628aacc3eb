#include "collector/attach/guard.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace prof::attach {

namespace {

constexpr pid_t kDismissed = 0;

// The pipe is closed when prof ends, however that happens.
void watch(int pipe, const std::vector<int>& ignored, const Guard::Undo& undo) {
  setsid();
  for (const int signal : ignored) ::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "prof-guard");
  std::vector<pid_t> processes;
  pid_t process = 0;
  while (read(pipe, &process, sizeof process) == sizeof process) {
    if (process == kDismissed) return;
    processes.push_back(process);
  }
  if (!processes.empty()) undo(processes);
}

}  // namespace

Guard::Guard(const std::vector<int>& ignored, const Undo& undo) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot create a pipe");
  pipe_.reset(ends[1]);
  std::fflush(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (pid_ == 0) {
    pipe_.reset();
    watch(ends[0], ignored, undo);
    _exit(0);
  }
  close(ends[0]);
}

Guard::~Guard() {
  pipe_.reset();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guard::dismiss() { add(kDismissed); }

void Guard::add(pid_t process) { static_cast<void>(!write(pipe_.get(), &process, sizeof process)); }

}  // namespace prof::attach
