// Finds OpenGL's functions for timestamp queries.
#pragma once

#include "injection/graphics/opengl/gpu_times.hpp"

namespace prof::opengl {

inline constexpr std::uint32_t kTimestamp = 0x8e28;

// Fills in the functions of the current context. Returns false if it has no timestamp queries.
// `has_query_buffer` becomes true if the context can write results to a buffer.
bool find_query_functions(bool is_egl, QueryFunctions& gl, bool& has_query_buffer);

}  // namespace prof::opengl
