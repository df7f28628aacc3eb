// What the OpenACC specification (2.6, chapter 5) says of the interface between an OpenACC runtime
// and a profiler, as far as prof uses it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::openacc {

// The numbers of events: each begin is followed by its end, but for those of one moment.
enum Event : std::int32_t {
  kDeviceInitStart = 1,
  kDeviceInitEnd = 2,
  kDeviceShutdownStart = 3,
  kDeviceShutdownEnd = 4,
  kRuntimeShutdown = 5,
  kCreate = 6,
  kDelete = 7,
  kAlloc = 8,
  kFree = 9,
  kEnterDataStart = 10,
  kEnterDataEnd = 11,
  kExitDataStart = 12,
  kExitDataEnd = 13,
  kUpdateStart = 14,
  kUpdateEnd = 15,
  kComputeStart = 16,
  kComputeEnd = 17,
  kLaunchStart = 18,
  kLaunchEnd = 19,
  kUploadStart = 20,
  kUploadEnd = 21,
  kDownloadStart = 22,
  kDownloadEnd = 23,
  kWaitStart = 24,
  kWaitEnd = 25,
  kEvents = 26,
};

struct Info {
  std::int32_t event;
  std::int32_t valid_bytes;
  std::int32_t version;
  std::int32_t device_type;
  std::int32_t device;
  std::int32_t thread;
  std::ptrdiff_t async, async_queue;
  const char* file;      // null: not known
  const char* function;  // null: not known
  std::int32_t line, end_line, function_line, function_end_line;
};

// What the details of all events begin with.
struct EventInfo {
  std::int32_t event;
  std::int32_t valid_bytes;
  std::int32_t construct;
  std::int32_t is_implicit;
  void* tool;  // the profiler's: it has at the end what it got at the begin
};
struct DataInfo {
  EventInfo common;
  const char* variable;  // null: not known
  std::size_t bytes;
  const void* host;
  const void* on_device;
};
struct LaunchInfo {
  EventInfo common;
  const char* kernel;  // null: not known
  std::size_t gangs, workers, vector_length;
};

using Callback = void (*)(Info* info, EventInfo* event, void* api);
// The last parameter is 0 to register a callback.
using Register = void (*)(Event event, Callback callback, int how);

}  // namespace prof::openacc
