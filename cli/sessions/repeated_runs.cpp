#include "cli/sessions/repeated_runs.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/messages/failure.hpp"
#include "cli/messages/failure_output.hpp"

namespace prof::cli {

namespace {

// Returns the words without --runs and its value.
std::vector<std::string> without_runs(const std::vector<std::string>& words) {
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--runs")
      ++i;
    else if (!words[i].starts_with("--runs="))
      rest.push_back(words[i]);
  }
  return rest;
}

int status_of_child(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw Failure(std::string("waitpid: ") + std::strerror(errno));
  return status;
}

// Ignores a signal of the terminal while it exists. It reaches the running prof, too, which ends
// its program.
class Ignored {
 public:
  explicit Ignored(int signal) : signal_(signal) {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    sigaction(signal, &action, &before_);
  }
  ~Ignored() { sigaction(signal_, &before_, nullptr); }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

  // Adds the signal to those that the running prof takes as usual, unless it was ignored before.
  void add_to(sigset_t& usual) const {
    if (before_.sa_handler != SIG_IGN) sigaddset(&usual, signal_);
  }

 private:
  int signal_;
  struct sigaction before_ {};
};

int run_prof(const std::vector<std::string>& words) {
  const Ignored interrupt(SIGINT);
  const Ignored quit(SIGQUIT);
  sigset_t usual;
  sigemptyset(&usual);
  interrupt.add_to(usual);
  quit.add_to(usual);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  for (const std::string& each : words) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, "/proc/self/exe", nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw Failure(std::string("cannot start prof: ") + std::strerror(error));
  return status_of_child(child);
}

}  // namespace

std::string output_of_run(const std::string& output, int run) {
  const std::size_t dot = output.ends_with(".db") ? output.size() - 3 : output.size();
  return output.substr(0, dot) + '_' + std::to_string(run) + output.substr(dot);
}

int profile_repeatedly(int runs, const std::vector<std::string>& words, const std::string& output,
                       const std::vector<std::string>& command) {
  int first_failure = 0;
  for (int i = 1; i <= runs; ++i) {
    std::vector<std::string> all = {"prof", "profile"};
    if (error_format() == ErrorFormat::kJson) all.emplace_back("--errors=json");
    for (std::string& each : without_runs(words)) all.push_back(std::move(each));
    all.insert(all.end(), {"-o", output_of_run(output, i), "--"});
    all.insert(all.end(), command.begin(), command.end());
    const int status = run_prof(all);
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    const int code = WEXITSTATUS(status);
    if (first_failure == 0) first_failure = code;
    if (code == 128 + SIGINT || code == 128 + SIGTERM) break;
  }
  return first_failure;
}

}  // namespace prof::cli
