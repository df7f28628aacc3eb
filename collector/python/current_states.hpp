// Finds out which interpreter each thread runs, in a program with subinterpreters. A thread has a
// state in each interpreter that it uses, and only the frames of one of them are running. The first
// state of a subinterpreter names the thread that created it, whichever thread runs it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace prof::python {

class CurrentStates {
 public:
  // A thread state as it is now.
  struct State {
    std::uint64_t address = 0;
    pid_t thread = 0;         // thread that the state names
    bool is_current = false;  // the interpreter is running with this state
    bool has_frames = false;
  };
  struct Choice {
    pid_t thread = 0;
    std::uint64_t state = 0;
    bool is_running = false;
  };

  // Returns the threads that the states name, each once, with the state that the thread runs or ran
  // last. A thread is left out if that is not clear. `states`: those of the newest interpreter come
  // first.
  std::vector<Choice> choose(const std::vector<State>& states,
                             const std::function<bool(pid_t)>& is_running);

 private:
  std::unordered_map<pid_t, std::uint64_t> last_state_;   // by thread
  std::unordered_map<std::uint64_t, pid_t> last_thread_;  // by state
};

}  // namespace prof::python
