// Reads objects of Python's threading module in another process: the names of its threads, and the
// locks that its frames refer to. The process is not trusted: every loop has a limit.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collector/python/interpreter_memory.hpp"

namespace prof::live {

class PythonObjects {
 public:
  explicit PythonObjects(python::InterpreterMemory& objects) : objects_(objects) {}

  // True if prof knows where the version keeps what is asked for: CPython 3.9 to 3.13 with the
  // interpreter lock.
  bool is_known_version() const { return places() != nullptr; }

  // Returns the addresses of the frames of a thread state, innermost first.
  std::vector<std::uint64_t> frames(std::uint64_t state);

  // Returns the attribute _name of the Thread object that runs the outermost of these frames, or an
  // empty text if the threading module has not started the thread.
  std::string thread_name(const std::vector<std::uint64_t>& frames);

  struct Lock {
    std::uint64_t object = 0;
    std::uint64_t owner = 0;  // pthread_t of the thread that holds an RLock; 0: not an RLock
  };
  // Returns the lock that the frame refers to and whose semaphore is at this address.
  std::optional<Lock> lock(std::uint64_t frame, std::uint64_t semaphore);

  // Returns the methods __exit__ of the lock that the frames keep. A frame keeps one from the
  // beginning of a `with` statement to its end.
  std::set<std::uint64_t> exit_methods(const std::vector<std::uint64_t>& frames,
                                       std::uint64_t lock);

  // Returns the word at an address, or 0 if it cannot be read.
  std::uint64_t word(std::uint64_t address);
  // Returns the name of an object's type, or an empty text.
  std::string type_name(std::uint64_t object);
  // Returns the value of an attribute, or 0.
  std::uint64_t attribute(std::uint64_t object, std::string_view name);
  // Returns the value of a key in a dictionary, or 0. Not for large dictionaries.
  std::uint64_t item(std::uint64_t dictionary, std::string_view name);

  // The offsets in bytes that depend on the version.
  struct Places;

 private:
  const Places* places() const;
  std::size_t slot_count(std::uint64_t frame);
  std::vector<std::uint64_t> slots(std::uint64_t frame);
  std::uint64_t dictionary(std::uint64_t object);
  std::uint64_t inline_values(std::uint64_t object);
  std::uint64_t value_in(std::uint64_t keys, std::uint64_t values, std::string_view name);

  python::InterpreterMemory& objects_;
};

}  // namespace prof::live
