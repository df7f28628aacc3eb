// Records debug groups and markers (KHR_debug, EXT_debug_marker).
#pragma once

#include "injection/graphics/opengl/contexts.hpp"
#include "injection/graphics/opengl/functions.hpp"

namespace prof::opengl {

// The program has begun a group, or set a marker, with these arguments.
void begin_group(Context& context, Index function, const Word* arguments);
void mark(const Context& context, Index function, const Word* arguments);

// The program is about to end the group that it began last.
void end_group(Context& context, Index function);

}  // namespace prof::opengl
