// What the OpenMP specification (5.0, chapter 4) says of the interface between an OpenMP runtime
// and a tool, as far as prof uses it.
#pragma once

#include <cstdint>

namespace prof::openmp::ompt {

// A word of the tool in a thread, a region or a task of the runtime.
struct Data {
  std::uint64_t value;
};

using Function = void (*)();
using Lookup = Function (*)(const char* name);

struct StartToolResult {
  int (*initialize)(Lookup lookup, int initial_device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};

using StartTool = StartToolResult* (*)(unsigned int version, const char* runtime);

enum Callback : int {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kMutexReleased = 17,
  kWork = 20,
  kMasked = 21,
  kSyncRegion = 23,
  kMutexAcquire = 26,
  kMutexAcquired = 27,
  kReduction = 31,
};
using SetCallback = int (*)(Callback which, Function function);

enum Endpoint : int { kBegin = 1, kEnd = 2, kBeginEnd = 3 };

// Bits of the flags of tasks.
inline constexpr int kInitialTask = 1;
inline constexpr int kExplicitTask = 4;

// Why a thread goes on with another task.
enum TaskStatus : int {
  kComplete = 1,
  kYield = 2,
  kCancel = 3,
  kDetach = 4,
  kEarlyFulfill = 5,
  kLateFulfill = 6,
  kSwitch = 7,
  kTaskwaitComplete = 8,
};

}  // namespace prof::openmp::ompt
