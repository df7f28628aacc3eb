// Keeps child processes in the session: puts our variables back into an environment that the
// program built itself.
#pragma once

#include <cstddef>

namespace prof::core {

// Value of a variable in an environment, or null.
const char* variable(char* const* environment, const char* name);

// The environment for a child process. It is the caller's with our missing variables added. If the
// child could not join the session, our variables are removed instead. In a sandbox only the
// session variable is removed, so the library stays inactive in the child. Uses only the caller's
// stack, because exec also runs in vfork children and between fork and exec. Create it with
// PROF_CHILD_ENVIRONMENT.
class ChildEnvironment {
 public:
  // `room` has array_bytes(environment) bytes and lives as long as this object.
  ChildEnvironment(char* const* environment, void* room);
  ChildEnvironment(const ChildEnvironment&) = delete;
  ChildEnvironment& operator=(const ChildEnvironment&) = delete;

  // Size of the pointers of a changed copy.
  static std::size_t array_bytes(char* const* environment);

  // The array for exec. It is the caller's own if nothing was changed.
  char* const* get() const { return result_; }
  bool repaired() const { return result_ != original_; }

 private:
  void repair(char** array);
  void strip(char** array);
  void withdraw(char** array);

  char* const* original_;
  char* const* result_;
  char session_[128];
  char preload_[4096];
  char nvtx_[1100];
  char cuda_[1100];
};

// A macro, because alloca() has to run in the frame of the function that calls exec.
#define PROF_CHILD_ENVIRONMENT(variable, environment) \
  const ::prof::core::ChildEnvironment variable(      \
      environment, __builtin_alloca(::prof::core::ChildEnvironment::array_bytes(environment)))

}  // namespace prof::core
