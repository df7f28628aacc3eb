// Which frames of a call chain say what the program does. The others are folded in texts for
// people.
#pragma once

#include <cstddef>
#include <vector>

#include "collector/live/snapshot.hpp"

namespace prof::live {

// True for frames that are not specific to the program: those of the C and C++ libraries, and of
// Python's interpreter and standard library.
bool is_general(const Frame& frame);

// Frames that are folded together have the same one of these.
enum class Fold : std::uint8_t {
  kShown,        // not folded
  kInterpreter,  // frames of the interpreter in a thread that runs Python
  kInlined,      // inlined functions of the C++ library
  kUnnamed,      // code without a name: usually made at run time
};

// A frame that is shown, or some frames that are folded.
struct ShownFrame {
  const Frame* frame;  // the first one
  std::size_t count;   // 1: show the frame itself
  Fold fold;
};
// Returns the frames of a thread, innermost first.
std::vector<ShownFrame> shown_frames(const Thread& thread);

}  // namespace prof::live
