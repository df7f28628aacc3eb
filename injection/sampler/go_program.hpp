// Detects a program written in Go. Go's runtime uses nearly all signals itself.
#pragma once

namespace prof::sampler {

// True if the program has the note of Go's linker (`-ldflags=-buildid=` omits it).
bool is_go_program();

}  // namespace prof::sampler
