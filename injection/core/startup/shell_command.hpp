// Changes the command that system() or popen() gets. Its shell inherits `environ`, which prof must
// not replace: other threads may read or change it at the same time.
#pragma once

#include "injection/core/child_memory.hpp"
#include "injection/core/startup/environment.hpp"

namespace prof::core {

// If `environ` lacks our variables, the command sets them in the shell and then executes the shell
// that runs the program's own command: `export PROF_SESSION='…'; exec /bin/sh -c '…' sh`. If the
// session is over, our variables are removed. Those that the loader and our library read are
// removed for good from `environ` itself; those that libraries read later are removed in the shell.
class ShellCommand {
 public:
  explicit ShellCommand(const char* command);
  ShellCommand(const ShellCommand&) = delete;
  ShellCommand& operator=(const ShellCommand&) = delete;

  const char* get() const { return result_; }

 private:
  template <class Add>
  void build(const OurVariables& given, std::size_t most_added, Add add);
  void put_back(const OurVariables& given);
  void remove(const OurVariables& given);

  const char* original_;
  const char* result_;
  ChildMemory memory_;
};

}  // namespace prof::core
