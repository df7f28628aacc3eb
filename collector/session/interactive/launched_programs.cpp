#include "collector/session/interactive/launched_programs.hpp"

#include <unistd.h>

#include <algorithm>

#include "collector/session/admission/process_facts.hpp"

namespace prof::session {

bool LaunchedPrograms::add(pid_t pid, const Client& launcher) {
  Program program;
  program.pid = pid;
  program.pidfd = open_pidfd(pid);
  if (!program.pidfd) return false;
  loop_.watch(program.pidfd.get());
  program.error.reset(dup(launcher.error.get()));
  program.launcher = launcher.connection.get();
  programs_.push_back(std::move(program));
  return true;
}

bool LaunchedPrograms::handle(int fd, const std::map<int, Client>& clients) {
  const auto program = std::ranges::find_if(
      programs_, [&](const Program& each) { return each.pidfd && each.pidfd.get() == fd; });
  if (program == programs_.end()) return false;
  // prof launch is about to report how it ended, and waits for the reports.
  if (clients.contains(program->launcher))
    loop_.forget(fd);
  else
    program->end();
  program->is_gone = true;
  return true;
}

void LaunchedPrograms::lose_launcher(int connection) {
  for (Program& program : programs_) {
    if (program.launcher != connection) continue;
    program.launcher = -1;
    if (program.is_gone) program.end();
  }
}

std::vector<int> LaunchedPrograms::let_go() {
  std::vector<int> connections;
  for (Program& program : programs_) connections.push_back(std::exchange(program.launcher, -1));
  return connections;
}

void LaunchedPrograms::end(pid_t pid, int status, Client launcher) {
  exit_status_ = status;
  for (Program& program : programs_)
    if (program.pid == pid) program.end();
  waiting_.push_back(std::move(launcher));
}

bool LaunchedPrograms::have_ended() const {
  return std::ranges::all_of(programs_, [](const Program& each) { return each.has_ended; });
}

std::vector<pid_t> LaunchedPrograms::pids() const {
  std::vector<pid_t> pids;
  for (const Program& program : programs_)
    if (!program.has_ended) pids.push_back(program.pid);
  return pids;
}

int LaunchedPrograms::error() const {
  for (const Program& program : programs_)
    if (program.error) return program.error.get();
  return -1;
}

}  // namespace prof::session
