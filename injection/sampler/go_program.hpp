// Is the program written in Go? Its runtime takes nearly all signals for itself.
#pragma once

namespace prof::sampler {

// By the note that Go's linker leaves in it (`-ldflags=-buildid=` makes it leave none).
bool is_go_program();

}  // namespace prof::sampler
