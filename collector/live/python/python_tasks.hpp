// Reads the tasks of asyncio in another process: their names, where they are, and what they await.
// The process is not trusted: every loop has a limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/live/python/python_objects.hpp"
#include "collector/python/interpreter_memory.hpp"

namespace prof::live {

class PythonTasks {
 public:
  PythonTasks(python::InterpreterMemory& memory, PythonObjects& objects)
      : memory_(memory), objects_(objects) {}

  struct Task {
    std::string name;
    std::vector<python_frames::PythonFrame> frames;  // of its coroutines, innermost first
    std::string awaits;  // "awaits a future"; the task that is running awaits nothing
  };
  // Returns the tasks of the event loop that runs in these frames of a thread. Empty if there is
  // none, or if the version is not CPython 3.11 to 3.13 with the interpreter lock.
  std::vector<Task> of(const std::vector<std::uint64_t>& frames);

  // The offsets in bytes that depend on the version.
  struct Places;

 private:
  const Places* places() const;
  std::string file_of(std::uint64_t frame);
  std::uint64_t all_tasks(std::uint64_t frame);
  std::string name_of(std::uint64_t task);
  std::string awaits_of(std::uint64_t task);
  std::vector<python_frames::PythonFrame> frames_of(std::uint64_t task);

  python::InterpreterMemory& memory_;
  PythonObjects& objects_;
};

}  // namespace prof::live
