#include "injection/graphics/opengl/calls.hpp"

#include "common/wire/handshake.hpp"
#include "injection/graphics/opengl/contexts.hpp"
#include "injection/graphics/opengl/groups.hpp"
#include "injection/graphics/opengl/records.hpp"

namespace prof::opengl {

Call begin_call(Index function) {
  if (prof_begin_library_call == nullptr) return {0, 0};
  const std::uint64_t start = prof_begin_library_call(kLibrary);
  const Kind kind = kFunctions[function].kind;
  if (start == 0) return {0, 0};
  if (needs_gpu_times(kind) && (prof_graphics_flags() & wire::kGraphicsOpenGlWorkloads) == 0)
    return {0, 0};
  if (!is_of_gpu(kind) || t_context == nullptr ||
      (t_context->flags & wire::kGraphicsOpenGlWorkloads) == 0)
    return {start, 0};
  const std::uint32_t correlation = t_context->gpu.begin_call(*t_context, function);
  return {prof_time(), correlation};
}

void end_call(Index function, const Call& call) {
  write_call(function, {.header = {},
                        .start = call.start,
                        .end = prof_time(),
                        .correlation = call.correlation,
                        .context = t_context == nullptr ? 0 : t_context->number});
  if (call.correlation != 0 && t_context != nullptr)
    t_context->gpu.end_call(*t_context, function, call.correlation);
}

void end_frame() {
  if (prof_end_frame != nullptr) prof_end_frame();
}

void before_effect(Index function) {
  if (t_context == nullptr) return;
  switch (kFunctions[function].kind) {
    case Kind::kMakeCurrent:
    case Kind::kRelease:
      return t_context->gpu.leave(*t_context);
    case Kind::kPop:
      return end_group(*t_context, function);
    default:
      return;
  }
}

void after_effect(Index function, const Word* arguments, Word result) {
  const Function& traced = kFunctions[function];
  const bool has_succeeded = static_cast<std::uint32_t>(result) != 0;  // of EGL and GLX
  switch (traced.kind) {
    case Kind::kMakeCurrent:
      if (!has_succeeded) return;
      make_current(traced, arguments[traced.parameters - 1]);
      if (t_context != nullptr) prof_begin_frames();
      return;
    case Kind::kRelease:
      if (has_succeeded) make_current(traced, 0);
      return;
    case Kind::kDestroy:
      // glXDestroyContext returns nothing.
      if (has_succeeded || !traced.is_egl()) destroy_context(arguments[1]);
      return;
    case Kind::kNewList:
    case Kind::kEndList:
      if (t_context != nullptr) t_context->is_making_list = traced.kind == Kind::kNewList;
      return;
    case Kind::kPush:
    case Kind::kPushMarker:
      if (t_context != nullptr) begin_group(*t_context, function, arguments);
      return;
    case Kind::kMark:
    case Kind::kMarker:
      if (t_context != nullptr) mark(*t_context, function, arguments);
      return;
    default:
      return;
  }
}

}  // namespace prof::opengl
