// Keeps child processes in the session: restores prof's variables in an environment that the
// program built itself.
#pragma once

#include <cstddef>

#include "injection/core/child_memory.hpp"

namespace prof::core {

inline constexpr char kPreload[] = "LD_PRELOAD";
inline constexpr char kNvtxInjection[] = "NVTX_INJECTION64_PATH";
inline constexpr char kCudaInjection[] = "CUDA_INJECTION64_PATH";

// Returns the value of a variable in an environment, or null.
const char* variable(char* const* environment, const char* name);

// The state of prof's variables in a child process.
enum class Ours {
  kAsTheyAre,  // nothing is to be changed
  kPutBack,    // all are added
  kRemoved,    // none is kept: the child could not join the session
};
// Returns that state. In a sandbox the function also empties the session variable in `environment`
// for good: a seccomp filter survives exec, and without that variable the library makes no system
// call in the child. The value is emptied in place, because a sandbox may forbid to get memory.
Ours ours_in_child(char* const* environment);

// The variables of an environment that concern prof.
struct OurVariables {
  std::size_t count = 0;  // number of all variables
  std::size_t bytes = 0;  // size of all texts and pointers, as exec counts them
  // Null if the variable is missing. An empty session variable counts as missing.
  char* const* session = nullptr;
  char* const* preload = nullptr;
  char* const* nvtx = nullptr;
  char* const* cuda = nullptr;

  // Reads an environment; null is an empty one. Returns false if a part of it cannot be read.
  bool read(char* const* environment);

  const char* preload_list() const;  // null if it is missing
  bool names_other_session() const;
  // True if a child must get these variables.
  bool lacks_nothing() const;
  bool lacks_session() const { return session == nullptr; }
  bool lacks_preload() const;
  bool lacks_nvtx() const;
  bool lacks_cuda() const;
};

// True if the variable leads a child to prof: it names our session, or our library as NVTX's or
// CUDA's.
bool leads_to_us(const char* variable);

// The environment for a child process: the caller's with our missing variables added, or without
// our variables if the child could not join the session. It is the caller's environment itself if
// nothing has to be changed, if it cannot be read, or if there is no memory.
class ChildEnvironment {
 public:
  explicit ChildEnvironment(char* const* environment);
  ChildEnvironment(const ChildEnvironment&) = delete;
  ChildEnvironment& operator=(const ChildEnvironment&) = delete;

  char* const* get() const { return result_; }
  bool is_changed() const { return result_ != original_; }

 private:
  void repair(const OurVariables& given);
  void strip(const OurVariables& given);
  void take(char* const* changed);

  char* const* original_;
  char* const* result_;
  ChildMemory memory_;
};

}  // namespace prof::core
