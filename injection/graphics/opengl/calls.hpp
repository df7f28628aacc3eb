// Records calls of OpenGL, EGL and GLX.
#pragma once

#include <cstdint>

#include "injection/graphics/opengl/functions.hpp"

namespace prof::opengl {

// A call in progress. With `start` 0 it is not recorded.
struct Call {
  std::uint64_t start;
  std::uint32_t correlation;  // 0: none
};

Call begin_call(Index function);
void end_call(Index function, const Call& call);

// A frame was shown, also if its call is not recorded.
void end_frame();

// A call with an effect (has_effect()) is about to be made, or has returned. It may also be
// recorded, between these.
void before_effect(Index function);
void after_effect(Index function, const Word* arguments, Word result);

}  // namespace prof::opengl
