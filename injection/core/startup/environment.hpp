// Keeps children in the session: a program that builds its children's environment itself would
// otherwise drop our variables (pitfall 4.8).
#pragma once

#include <cstddef>

namespace prof::core {

// Value of a variable in an environment, or null.
const char* variable(char* const* environment, const char* name);

// An environment for a child: the caller's, with our variables put back where they are missing; or
// without them, where the child could not join the session any more; or, from within a sandbox,
// without the one that makes us act.
// Uses nothing but the caller's stack, because exec runs in vfork children and between fork and
// exec. Make one with PROF_CHILD_ENVIRONMENT.
class ChildEnvironment {
 public:
  // `room`: array_bytes(environment) bytes that live as long as this object.
  ChildEnvironment(char* const* environment, void* room);
  ChildEnvironment(const ChildEnvironment&) = delete;
  ChildEnvironment& operator=(const ChildEnvironment&) = delete;

  // Bytes for the pointers of a repaired copy.
  static std::size_t array_bytes(char* const* environment);

  // What to pass to exec: the caller's own array if nothing was changed.
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

// alloca() has to happen in the frame of the function that calls exec.
#define PROF_CHILD_ENVIRONMENT(variable, environment) \
  const ::prof::core::ChildEnvironment variable(      \
      environment, __builtin_alloca(::prof::core::ChildEnvironment::array_bytes(environment)))

}  // namespace prof::core
