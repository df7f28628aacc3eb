// What lies in the session's directory, as this process reaches it.
#pragma once

#include <cstddef>

namespace prof::core {

// Path of what is called `name` there; false if it is too long.
bool session_path(char* out, std::size_t capacity, const char* name);

// Writes to one of the pipes there, at once or not at all: false if it cannot be opened or is full.
// At most PIPE_BUF bytes, which nobody else's come between.
bool post(const char* pipe, const void* words, std::size_t bytes);

}  // namespace prof::core
