#include "cli/sessions/jit_names.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "cli/messages/message.hpp"
#include "collector/spool/notes.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::cli {

namespace {

std::string program_of(pid_t pid) { return base::read_link(base::proc_path(pid, "exe")); }

bool is_java(pid_t pid) {
  return base::read_proc_file(base::proc_path(pid, "maps"), std::size_t{16} << 20)
             .find("/libjvm.so") != std::string::npos;
}

// Returns jcmd of the Java machine that the process runs, or the name to search in PATH.
std::string jcmd_for(pid_t pid) {
  const std::filesystem::path beside =
      std::filesystem::path(program_of(pid)).replace_filename("jcmd");
  return access(beside.c_str(), X_OK) == 0 ? beside.string() : "jcmd";
}

// Returns why the Java machine must not be asked, or an empty text. jcmd sends SIGQUIT, which ends
// a process that does not handle it (java -Xrs).
std::string obstacle(pid_t pid) {
  for (const char* space : {"ns/pid", "ns/mnt"})
    if (base::read_link(base::proc_path(pid, space)) !=
        base::read_link(std::string("/proc/self/") + space))
      return "it runs in a container; run prof there";
  const std::string status = base::read_proc_file(base::proc_path(pid, "status"));
  if (base::number_in(base::status_value(status, "Uid")) != geteuid())
    return "it belongs to another user; run prof as that user";
  const std::uint64_t caught = base::number_in(base::status_value(status, "SigCgt"), 16);
  if ((caught >> (SIGQUIT - 1) & 1) == 0)
    return "it does not answer jcmd (-Xrs or -XX:+DisableAttachMechanism)";
  const std::string_view state = base::status_value(status, "State");
  if (state.starts_with('T') || state.starts_with('t')) return "it is stopped";
  return "";
}

// Runs `jcmd PID Compiler.perfmap`. Returns why that failed, or an empty text.
std::string run_jcmd(pid_t pid) {
  constexpr int kMaxMilliseconds = 5000;
  const std::string program = jcmd_for(pid);
  std::string words[] = {program, std::to_string(pid), "Compiler.perfmap"};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return "jcmd is not installed; it is part of the JDK, 17 or later";
  const base::UniqueFd ended(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  pollfd wait{ended.get(), POLLIN, 0};
  if (ended && poll(&wait, 1, kMaxMilliseconds) == 0) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return "jcmd got no answer";
  struct stat info {};
  if (WEXITSTATUS(status) == 0 && lstat(spool::perf_map_of(pid).c_str(), &info) == 0 &&
      info.st_size > 0)
    return "";
  return fmt::format("jcmd {} Compiler.perfmap failed; it needs JDK 17 or later", pid);
}

}  // namespace

JitNames::~JitNames() {
  for (const pid_t pid : written_) unlink(spool::perf_map_of(pid).c_str());
}

void JitNames::ask(const std::vector<live::Process>& processes) {
  for (const live::Process& each : processes) {
    struct stat info {};
    if (lstat(spool::perf_map_of(each.pid).c_str(), &info) == 0) continue;
    if (std::filesystem::path(program_of(each.pid)).filename() == "node") {
      print_message(
          "prof: functions in JavaScript of process {} have no names: start it with node "
          "--perf-basic-prof\n",
          each.pid);
      continue;
    }
    if (!is_java(each.pid)) continue;
    std::string problem = obstacle(each.pid);
    if (problem.empty()) problem = run_jcmd(each.pid);
    if (problem.empty())
      written_.push_back(each.pid);
    else
      print_message("prof: methods of Java of process {} have no names: {}\n", each.pid, problem);
  }
}

void JitNames::ask_again() const {
  for (const pid_t pid : written_)
    if (is_java(pid) && obstacle(pid).empty()) run_jcmd(pid);
}

}  // namespace prof::cli
