// Access to files in the session's directory.
#pragma once

#include <cstddef>
#include <cstring>

#include "injection/core/process_state.hpp"

namespace prof::core {

// The path of a file in the session's directory.
struct SessionPath {
  template <std::size_t n>
  explicit SessionPath(const char (&name)[n]) {
    static_assert(n - 1 <= kMaxSessionFile);
    const std::size_t length = std::strlen(g_process.session);
    std::memcpy(text, g_process.session, length);
    text[length] = '/';
    std::memcpy(text + length + 1, name, n);
  }
  char text[kMaxSessionPath + 1 + kMaxSessionFile];
};

// Writes to one of the session's pipes without blocking. Returns false if the pipe cannot be opened
// or is full. The write is atomic: at most PIPE_BUF bytes.
bool write_to_pipe(const char* path, const void* words, std::size_t bytes);

}  // namespace prof::core
