// Files in the session's directory.
#pragma once

#include <cstddef>

namespace prof::core {

// Writes the path of the file `name` to `out`. Returns false if it is too long.
bool session_path(char* out, std::size_t capacity, const char* name);

// Writes to one of the session's pipes without blocking. Returns false if the pipe cannot be opened
// or is full. The write is atomic: at most PIPE_BUF bytes.
bool write_to_pipe(const char* pipe, const void* words, std::size_t bytes);

}  // namespace prof::core
