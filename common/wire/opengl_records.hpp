// Records of the OpenGL trace (injection/graphics/opengl).
//
// A context is named by its number: 1 is the first that the process used. 0: no context was
// current. Correlation ids count the calls of a process that give work to the GPU, or, in the
// records of groups, its debug groups and markers; 0: none.
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

// A call of OpenGL, EGL or GLX.
struct OpenGlCallRecord {
  RecordHeader header;  // aux: the function's id
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t correlation;
  std::uint32_t context;
};

enum class OpenGlGroup : std::uint8_t {
  kPush = 0,
  kPop = 1,
  kMark = 2,
};

// A debug group begins or ends, or the program sets a marker. Source, type and severity are those
// of KHR_debug.
struct OpenGlGroupRecord {
  RecordHeader header;  // aux: source, 0: unknown; flags: OpenGlGroup
  std::uint64_t time;
  std::uint64_t text;  // string hash; 0 for kPop
  std::uint32_t id;
  std::uint32_t type;      // of kMark; 0: unknown
  std::uint32_t severity;  // of kMark; 0: unknown
  std::uint32_t correlation;
  std::uint32_t context;
  std::uint32_t reserved;
};

// Work that the GPU did. Its times are on the clock of the context, ns. `gpu_clock` and `clock` are
// one moment on that clock and on the session's clock.
struct OpenGlGpuTimes {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t gpu_clock;
  std::uint64_t clock;
};

// Work of consecutive calls.
struct OpenGlWorkloadRecord {
  RecordHeader header;  // aux: id of the first function
  OpenGlGpuTimes times;
  std::uint32_t last_function;
  std::uint32_t context;
  std::uint32_t correlation;  // of the first call
  std::uint32_t last_correlation;
};

// Work within a debug group.
struct OpenGlGpuGroupRecord {
  RecordHeader header;  // aux: 0
  OpenGlGpuTimes times;
  std::uint64_t text;  // string hash
  std::uint32_t context;
  std::uint32_t correlation;  // of the group
};

static_assert(kIsRecord<OpenGlCallRecord> && sizeof(OpenGlCallRecord) == 32);
static_assert(kIsRecord<OpenGlGroupRecord> && sizeof(OpenGlGroupRecord) == 48);
static_assert(kIsRecord<OpenGlWorkloadRecord> && sizeof(OpenGlWorkloadRecord) == 56);
static_assert(kIsRecord<OpenGlGpuGroupRecord> && sizeof(OpenGlGpuGroupRecord) == 56);

}  // namespace prof::wire
