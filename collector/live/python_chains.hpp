// The Python frames of stopped threads, and their names.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/python/interpreter_memory.hpp"

namespace prof::live {

class PythonChains {
 public:
  PythonChains(pid_t pid, const python::InterpreterAddress& address);

  // Notes which threads Python knows. Before frames().
  void look();
  struct Frames {
    std::vector<python_frames::PythonFrame> frames;  // innermost first
    bool is_cut = false;                             // there are more, or they could not be read
  };
  // Of a thread (its id in the process's own namespace) that is stopped. Reads little else, so that
  // the stop is short.
  Frames frames(pid_t thread);

  struct Function {
    std::string name, file;
    int line = 0;
  };
  // May be called later. The function may be gone then; its name is "?".
  Function function(const python_frames::PythonFrame& frame);

  // The thread that holds the interpreter lock, if `futex` is what a thread waits for that wants
  // it. 0: that is something else.
  pid_t lock_holder(std::uint64_t futex);

 private:
  python::InterpreterMemory objects_;
  struct State {
    std::uint64_t address = 0;
    pid_t named = 0;  // the thread that it names, which need not be the one that runs it
  };
  std::unordered_map<pid_t, State> states_;  // by thread
  struct Code {
    std::string name, file;
    std::uint32_t first_line = 0;
    std::vector<std::byte> lines;
  };
  std::map<std::uint64_t, Code> codes_;  // by address
};

}  // namespace prof::live
