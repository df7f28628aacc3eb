#include "collector/session/control/user_command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "common/base/proc_ids.hpp"
#include "common/base/text/exec_words.hpp"
#include "common/wire/rank_variables.hpp"

namespace prof::session {

namespace {

// Returns the rank that a launcher has given this process; empty if none has.
std::string own_rank() {
  const wire::RankSource* source = wire::find_rank_source(std::getenv);
  const char* rank = source == nullptr ? nullptr : std::getenv(source->rank);
  return rank == nullptr ? std::string() : rank;
}

std::vector<std::string> environment_of(const UserCommand& command) {
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
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

// Becomes the command in a child of prof. prof has blocked signals, and has descriptors that must
// not be inherited.
[[noreturn]] void become(const UserCommand& command) {
  const std::vector<std::string> variables = environment_of(command);
  const std::vector<char*> environment = base::exec_words(variables);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  for (const pid_t fd : base::ids_in("/proc/self/fd"))
    if (fd > STDERR_FILENO) close(fd);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execle("/bin/sh", "sh", "-c", command.text.c_str(), nullptr, environment.data());
  _exit(127);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

// The command runs in a child of a child, so that nobody has to wait for it.
void start_user_command(const UserCommand& command) {
  if (command.text.empty()) return;
  const pid_t pid = fork();
  if (pid > 0) wait_for(pid);
  if (pid != 0) return;
  if (fork() == 0) become(command);
  _exit(0);
}

int run_user_command(const UserCommand& command) {
  if (command.text.empty()) return 0;
  const pid_t pid = fork();
  if (pid < 0) return 127;
  if (pid == 0) become(command);
  return wait_for(pid);
}

}  // namespace prof::session
