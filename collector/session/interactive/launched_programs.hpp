// The programs that commands have launched into a session, and the commands that wait for their
// ends.
#pragma once

#include <sys/types.h>

#include <list>
#include <map>
#include <utility>
#include <vector>

#include "collector/session/event_loop.hpp"
#include "collector/session/interactive/client.hpp"

namespace prof::session {

class LaunchedPrograms {
 public:
  explicit LaunchedPrograms(const EventLoop& loop) : loop_(loop) {}

  // Adds a program that waits to exec. Returns false if it has ended.
  bool add(pid_t pid, const Client& launcher);
  // Handles a descriptor that became readable. `clients` are the waiting commands, by connection.
  // Returns false if the descriptor does not belong to a program.
  bool handle(int fd, const std::map<int, Client>& clients);
  // Handles that the command which launched a program has closed this connection.
  void lose_launcher(int connection);
  // Returns the connections of the commands that launched programs. The programs forget their
  // commands.
  std::vector<int> let_go();
  // Handles that a command reports how its program ended. The command then waits for the reports.
  void end(pid_t pid, int status, Client launcher);
  // Returns the commands whose programs have ended, and forgets them.
  std::vector<Client> take_waiting() { return std::exchange(waiting_, {}); }
  const std::vector<Client>& waiting() const { return waiting_; }

  // True if all programs have ended.
  bool have_ended() const;
  // Returns the programs that have not ended.
  std::vector<pid_t> pids() const;
  pid_t first() const { return programs_.front().pid; }
  std::size_t launches() const { return programs_.size(); }
  // Returns the exit status of the last program that has ended; -1: no program has ended.
  int exit_status() const { return exit_status_; }
  // Returns the descriptor for messages when no command waits; -1: there is none.
  int error() const;

 private:
  struct Program {
    pid_t pid = 0;
    base::UniqueFd pidfd;
    base::UniqueFd error;  // for messages when no command waits, for as long as the program runs
    int launcher = -1;     // connection of its prof launch
    bool is_gone = false;  // the process has ended
    bool has_ended = false;

    void end() {
      has_ended = true;
      pidfd.reset();
      error.reset();
    }
  };

  const EventLoop& loop_;
  std::list<Program> programs_;
  std::vector<Client> waiting_;
  int exit_status_ = -1;
};

}  // namespace prof::session
