// The rule for work of CUDA graphs that is in ranges of its launch and in ranges of its capture.
#pragma once

#include <span>

namespace prof::events {

// Returns the ranges of a capture, outermost first, without the outermost ones as long as they are
// the same as the ranges around the launch: a program repeats those around its steps.
template <class Range, class IsSame>
std::span<const Range> inside_of_launch(std::span<const Range> captured,
                                        std::span<const Range> around, IsSame is_same) {
  for (const Range& outer : around) {
    if (captured.empty() || !is_same(captured.front(), outer)) break;
    captured = captured.subspan(1);
  }
  return captured;
}

}  // namespace prof::events
