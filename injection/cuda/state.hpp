// What the parts of the CUDA trace share.
#pragma once

#include <atomic>
#include <cstdint>

#include "injection/core/record/ring_writer.hpp"
#include "injection/cuda/cupti_api.hpp"
#include "injection/wire/cuda_records.hpp"

namespace prof::cuda {

struct State {
  std::int32_t pid;        // that set CUPTI up; a fork child must not touch it
  std::int64_t clock_lag;  // CUPTI's clock minus CLOCK_MONOTONIC_RAW, ns; 0 when it uses ours
  CUpti_SubscriberHandle subscriber;
  std::atomic<bool> active;  // activities are on, in this process
};
extern State g_state;

// Is CUPTI ours to call, in this process?
bool is_active();

// Tells the collector of a failed call; returns whether it succeeded.
bool check(CuptiFunction function, CUptiResult result);
#define PROF_CUPTI(name, ...)                                \
  ::prof::cuda::check(::prof::cuda::CuptiFunction::k_##name, \
                      ::prof::cuda::g_cupti.name(__VA_ARGS__))

// Callbacks of the API and of resources (api_calls.cpp, resources.cpp).
void enable_api_callbacks();
void enable_resource_callbacks();
void on_api_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data);
void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data);

// What a call of the API has to do with synchronization (sync_calls.cpp).
enum class SyncRole : std::uint8_t {
  kNone,
  kStream,
  kStreamWaitEvent,
  kEvent,
  kContext,
  // From here on: what an event means.
  kCreateEvent,
  kRecordEvent,
  kBeginCapture,
  kEndCapture,
};
SyncRole sync_role(const char* name);
// CUPTI's id; kNoCudaId if it knows none. `per_thread`: stream 0 is the thread's own.
std::uint32_t stream_id(CUcontext context, CUstream stream, bool per_thread);
// At the exit of a call that has a role. `per_thread`: its stream 0 is the thread's own.
void on_sync_call(SyncRole role, bool per_thread, const CUpti_CallbackData& data,
                  std::uint64_t start, std::uint64_t end);

// Activity records (activity_buffers.cpp, activity_records.cpp).
bool enable_activities();
void write_activity(const CUpti_Activity* record);

enum class Flush {
  kFinished,  // buffers in which everything is finished
  kForced,    // everything, finished or not
};
// Has CUPTI hand its records over, if it is ours to call.
void flush(Flush what);
// The same without asking whether it is, or telling how long it took.
void flush_buffers(Flush what);
// Before the process goes away: everything, if it comes before the deadline (last_flush.cpp).
void flush_before_exit();

// Sends the name of a context or stream under CUPTI's id (names.cpp).
void name_object(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name);

// A function of the driver, which the process has loaded (resources.cpp); null if it lacks it.
void* driver_symbol(const char* name);

// Attributes of the GPUs that CUPTI's DEVICE records lack, from the driver; after cuInit.
void complete_device(wire::CudaDeviceRecord& record);

}  // namespace prof::cuda
