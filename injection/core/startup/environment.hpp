// Keeps child processes in the session: puts our variables back into an environment that the
// program built itself.
#pragma once

#include <cstddef>

#include "injection/core/child_memory.hpp"

namespace prof::core {

inline constexpr char kPreload[] = "LD_PRELOAD";
inline constexpr char kNvtxInjection[] = "NVTX_INJECTION64_PATH";
inline constexpr char kCudaInjection[] = "CUDA_INJECTION64_PATH";

// Value of a variable in an environment, or null.
const char* variable(char* const* environment, const char* name);

// What a child process should find of our variables.
enum class Ours {
  kAsTheyAre,  // nothing is to be changed
  kPutBack,    // all of them
  kRemoved,    // none: it could not join the session
};
// In a sandbox it also empties the session variable in `environment` for good: a seccomp filter
// survives exec, and without that variable the library makes no system call in the child. The value
// is emptied in place, because a sandbox may forbid to get memory.
Ours ours_in_child(char* const* environment);

// The variables of an environment that matter here.
struct OurVariables {
  std::size_t count = 0;  // of all variables
  std::size_t bytes = 0;  // of their texts and pointers, as exec counts them
  // Null: missing. An empty session variable counts as missing.
  char* const* session = nullptr;
  char* const* preload = nullptr;
  char* const* nvtx = nullptr;
  char* const* cuda = nullptr;

  // Returns false if a part of the environment cannot be read. Null is an empty one.
  bool read(char* const* environment);

  const char* preload_list() const;  // null if it is missing
  bool names_other_session() const;
  // Must a child get these?
  bool lacks_nothing() const;
  bool lacks_session() const { return session == nullptr; }
  bool lacks_preload() const;
  bool lacks_nvtx() const;
  bool lacks_cuda() const;
};

// Does the variable lead a child to us: does it name our session, or our library as NVTX's or
// CUDA's?
bool leads_to_us(const char* variable);

// The environment for a child process. It is the caller's with our missing variables added, or
// without ours if the child could not join the session. It is the caller's own if nothing has to be
// changed, if it cannot be read, or if there is no memory.
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
