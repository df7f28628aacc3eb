// The objects of a Python interpreter in another process: thread states, code objects, texts. The
// process is not trusted: every loop and every size has a limit.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/python/current_states.hpp"
#include "collector/python/remote_memory.hpp"
#include "common/wire/python_frames/python_stack.hpp"

namespace prof::python {

struct InterpreterAddress {
  std::uint64_t runtime;
  std::uint64_t code_type;
  std::uint16_t version;
};

class InterpreterMemory {
 public:
  static constexpr std::size_t kMaxThreads = 8192;

  InterpreterMemory(pid_t pid, const InterpreterAddress& address)
      : address_(address), memory_(pid) {}

  // The contents of a code object. Objects with equal contents are the same object.
  struct Code {
    std::uint64_t name = 0;
    std::uint64_t file = 0;
    std::uint64_t lines = 0;
    std::uint32_t first_line = 0;
    bool operator==(const Code&) const = default;
  };

  // Returns false if the version is unknown or the memory cannot be read. Must be called before the
  // other functions.
  bool find_layout();
  // Returns the addresses of all thread states, those of the newest interpreter first.
  std::vector<std::uint64_t> thread_states();
  // True if thread_states() saw more than one interpreter.
  bool has_subinterpreters() const { return interpreters_ > 1; }
  // Returns, for CurrentStates, which of these states are running.
  std::vector<CurrentStates::State> look_at(const std::vector<std::uint64_t>& states);
  // Returns the id of a thread state's thread, as gettid() returns it in the process.
  pid_t thread_of(std::uint64_t state);
  // Reads the address of the innermost frame (0: none) as it is now, and of the object that points
  // to the frame, if there is one.
  bool innermost(std::uint64_t state, std::uint64_t& frame, std::uint64_t& holder);
  std::optional<Code> read_code(std::uint64_t address);
  std::optional<std::string> read_text(std::uint64_t address);
  std::vector<std::byte> read_bytes(std::uint64_t address);

  const InterpreterAddress& address() const { return address_; }
  const python_frames::PythonLayout& layout() const { return layout_; }
  RemoteMemory& memory() { return memory_; }

 private:
  InterpreterAddress address_;
  RemoteMemory memory_;
  python_frames::PythonLayout layout_{};
  std::uint64_t interpreters_ = 0;
};

}  // namespace prof::python
