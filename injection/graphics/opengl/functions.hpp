// The functions of opengl.def.
#pragma once

#include <cstdint>

namespace prof::opengl {

// An integer or a pointer.
using Word = unsigned long;

// What prof does with a call.
enum class Kind : std::uint8_t {
  kPlain,    // records it
  kDraw,     // records it; the GPU gets work, or a clear or a read of pixels
  kSync,     // records it; the program waits for the GPU, or sends it what has gathered
  kBarrier,  // records it with GPU times: part of the work around it
  kTarget,   // records it with GPU times: where the GPU draws changes
  kCreate,   // records it with GPU times: makes a context
  kSwap,     // records it: a frame ends
  kMakeCurrent,
  kRelease,  // no context is current any more
  kDestroy,  // of a context
  kPush,     // a debug group begins
  kPushMarker,
  kPop,
  kMark,  // a marker in the debug output
  kMarker,
  kNewList,  // calls become part of a display list
  kEndList,
  kLookUp,  // returns functions, of which those of the table are replaced
};

struct Function {
  const char* name;
  Kind kind;
  std::uint8_t parameters;  // their number

  constexpr bool is_egl() const { return name[0] == 'e'; }
};

// Returns the number of parameters of a signature: 3 of "W3", 4 of "WWFW", 11 of "W2F9".
inline constexpr std::uint8_t count_of(const char* signature) {
  std::uint8_t count = 0;
  while (*signature != '\0') {
    const bool has_number = signature[1] >= '0' && signature[1] <= '9';
    std::uint8_t number = has_number ? 0 : 1;
    for (++signature; *signature >= '0' && *signature <= '9'; ++signature)
      number = static_cast<std::uint8_t>(number * 10 + *signature - '0');
    count = static_cast<std::uint8_t>(count + number);
  }
  return count;
}
static_assert(count_of("W0") == 0 && count_of("W11") == 11 && count_of("WWFW") == 4 &&
              count_of("W2F9") == 11);

#define OPENGL_FUNCTION(name, kind, signature) {#name, Kind::kind, count_of(#signature)},
inline constexpr Function kFunctions[] = {
#include "injection/graphics/opengl/opengl.def"
};

// The index of each function.
#define OPENGL_FUNCTION(name, ...) k_##name,
enum Index : std::uint32_t {
#include "injection/graphics/opengl/opengl.def"
  kFunctionCount
};

// True if the call has effects that prof has to follow even when it records nothing.
constexpr bool has_effect(Kind kind) { return kind >= Kind::kMakeCurrent; }

// True if the call is recorded.
constexpr bool is_recorded(Kind kind) {
  return kind != Kind::kNewList && kind != Kind::kEndList && kind != Kind::kLookUp &&
         kind != Kind::kRelease && kind != Kind::kDestroy;
}

// True if the call is recorded only together with GPU times, as nsys does.
constexpr bool needs_gpu_times(Kind kind) {
  return kind == Kind::kBarrier || kind == Kind::kTarget || kind == Kind::kCreate ||
         kind == Kind::kMakeCurrent;
}

// True if the call belongs to work of the GPU and has a correlation id.
constexpr bool is_of_gpu(Kind kind) {
  return kind == Kind::kDraw || kind == Kind::kSync || kind == Kind::kBarrier ||
         kind == Kind::kTarget || kind == Kind::kSwap;
}

}  // namespace prof::opengl
