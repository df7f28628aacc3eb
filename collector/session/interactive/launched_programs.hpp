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

  // Adds a program that exists and waits to exec. False: it has ended.
  bool add(pid_t pid, const Client& launcher);
  // Handles a descriptor that became readable. `clients`: the commands that wait, by connection.
  // False if it is not one of a program.
  bool handle(int fd, const std::map<int, Client>& clients);
  // The command that launched a program has closed this connection.
  void lose_launcher(int connection);
  // Returns the connections of the commands that launched programs. They do not wait any more.
  std::vector<int> let_go();
  // A command says how its program ended, and waits for the reports.
  void end(pid_t pid, int status, Client launcher);
  // Commands whose programs have ended.
  std::vector<Client> take_waiting() { return std::exchange(waiting_, {}); }
  const std::vector<Client>& waiting() const { return waiting_; }

  bool have_ended() const;          // all of them
  std::vector<pid_t> pids() const;  // of those that have not ended
  pid_t first() const { return programs_.front().pid; }
  std::size_t launches() const { return programs_.size(); }
  // Of the last program that has ended; -1: none has.
  int exit_status() const { return exit_status_; }
  // Where messages go if no command waits. -1: nowhere.
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
