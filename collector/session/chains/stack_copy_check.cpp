#include "collector/session/chains/stack_copy_check.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace prof::session {

namespace {

int try_to_copy() {
  int source = 1, target = 0;
  const iovec from{&source, sizeof source}, to{&target, sizeof target};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof source ? 0 : errno;
}

// A filter may kill the process that tries the call, so a child process tries it.
int try_in_a_child() {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) _exit(try_to_copy());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

}  // namespace

std::string stack_copy_obstacle() {
  const bool is_filtered = prctl(PR_GET_SECCOMP) != 0;
  const int error = is_filtered ? try_in_a_child() : try_to_copy();
  if (error == 0) return {};
  return is_filtered
             ? fmt::format("process_vm_readv is blocked by a seccomp filter ({}).", strerror(error))
             : fmt::format("process_vm_readv failed ({}).", strerror(error));
}

}  // namespace prof::session
