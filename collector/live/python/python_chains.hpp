// The Python frames of stopped threads, and their names.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/live/python/python_objects.hpp"
#include "collector/live/python/python_tasks.hpp"
#include "collector/python/interpreter_memory.hpp"

namespace prof::live {

class PythonChains {
 public:
  PythonChains(pid_t pid, const python::InterpreterAddress& address);

  // Notes which threads Python knows. Called before frames().
  void look();
  struct Frames {
    std::vector<python_frames::PythonFrame> frames;  // innermost first
    bool is_cut = false;                             // more frames exist, or they could not be read
  };
  // Returns the frames of a stopped thread, given by its id in the process's namespace. Reads
  // little else, so that the stop is short.
  Frames frames(pid_t thread);

  struct Function {
    std::string name, file;
    int line = 0;
  };
  // Returns the function of a frame. May be called after the thread goes on. If the function no
  // longer exists, its name is "?".
  Function function(const python_frames::PythonFrame& frame);

  // Returns the thread that holds the interpreter lock, if `futex` belongs to that lock; else 0.
  pid_t lock_holder(std::uint64_t futex);

  // Returns the name of a thread that the threading module has started, or an empty text.
  std::string thread_name(pid_t thread);

  // Returns the tasks of the asyncio loop that the thread runs.
  std::vector<PythonTasks::Task> tasks(pid_t thread);

  struct LockHolder {
    pid_t thread = 0;         // 0: not known
    bool is_certain = false;  // an RLock says who holds it; a Lock does not
  };
  // Returns the thread that holds the lock of the threading module for which `waiting` waits. A
  // Lock is held by the thread that is inside of a `with` statement of it, if there is only one.
  // Threads that `also_waits` names are not inside.
  LockHolder holder_of_lock(pid_t waiting, std::uint64_t semaphore,
                            const std::function<bool(pid_t)>& also_waits);

 private:
  python::InterpreterMemory objects_;
  struct State {
    std::uint64_t address = 0;
    pid_t named = 0;  // the thread in the state's own data; another thread may be running it
  };
  std::unordered_map<pid_t, State> states_;  // by thread id
  struct Code {
    std::string name, file;
    std::uint32_t first_line = 0;
    std::vector<std::byte> lines;
  };
  std::map<std::uint64_t, Code> codes_;  // by address
  PythonObjects threading_{objects_};
  PythonTasks tasks_{objects_, threading_};
};

}  // namespace prof::live
