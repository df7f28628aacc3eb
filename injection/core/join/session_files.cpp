#include "injection/core/join/session_files.hpp"

#include "injection/core/syscalls.hpp"

namespace prof::core {

bool write_to_pipe(const char* path, const void* words, std::size_t bytes) {
  // O_RDWR makes this process a reader too, so the write never raises SIGPIPE in the target.
  const int descriptor = sys::open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = sys::write(descriptor, words, bytes) == static_cast<long>(bytes);
  sys::close(descriptor);
  return written;
}

}  // namespace prof::core
