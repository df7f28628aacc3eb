// Detects a program that is written in Go: its runtime takes nearly all signals for itself.
#pragma once

namespace prof::sampler {

// Looks for the note of Go's linker (`-ldflags=-buildid=` omits it).
bool is_go_program();

}  // namespace prof::sampler
