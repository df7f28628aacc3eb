#include "injection/core/join/session_files.hpp"

#include <cstring>

#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

bool session_path(char* out, std::size_t capacity, const char* name) {
  const std::size_t length = std::strlen(g_process.session);
  const std::size_t name_length = std::strlen(name);
  if (length + 1 + name_length + 1 > capacity) return false;
  std::memcpy(out, g_process.session, length);
  out[length] = '/';
  std::memcpy(out + length + 1, name, name_length + 1);
  return true;
}

bool write_to_pipe(const char* pipe, const void* words, std::size_t bytes) {
  char path[kMaxSessionPath + 16];
  if (!session_path(path, sizeof path, pipe)) return false;
  // O_RDWR makes this process a reader too, so the write never raises SIGPIPE in the target.
  const int descriptor = sys::open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = sys::write(descriptor, words, bytes) == static_cast<long>(bytes);
  sys::close(descriptor);
  return written;
}

}  // namespace prof::core
