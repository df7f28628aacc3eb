// Shared by the files of the CUDA trace.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/wire/cuda_records.hpp"
#include "injection/core/record/ring_writer.hpp"
#include "injection/cuda/cupti_api.hpp"

namespace prof::cuda {

struct State {
  std::int32_t pid;        // of the process that set CUPTI up; a fork child must not use CUPTI
  std::int64_t clock_lag;  // CUPTI's clock minus CLOCK_MONOTONIC_RAW, ns; 0 when it uses ours
  CUpti_SubscriberHandle subscriber;
  std::atomic<bool> active;  // activities are enabled in this process
};
extern State g_state;

// Returns whether this process may call CUPTI.
bool is_active();

// Reports a failed call to the collector. Returns whether it succeeded.
bool check(CuptiFunction function, CUptiResult result);
#define PROF_CUPTI(name, ...)                                \
  ::prof::cuda::check(::prof::cuda::CuptiFunction::k_##name, \
                      ::prof::cuda::g_cupti.name(__VA_ARGS__))

// Finds CUPTI and subscribes, once in a process (entry.cpp). Returns when that has been tried.
void start_once();

// What our tracer does in a callback (entry.cpp).
void trace_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
// Loads CUPTI if that has not been done, subscribes, and enables what is traced. False if it is not
// possible. Then the collector knows why (entry.cpp).
bool enable_cupti();
// At the end of a collection: fetches all records, then ends the subscription.
void fetch_last_records();
void disable_cupti();
// The counters of unified memory, which disable_cupti() leaves on: CUPTI 13.0 waits 2 s for its
// thread here (seen on an H200), and the next collection would have to wait, too.
void disable_unified_memory();
// Enables CUPTI while there is a collection, from now on (switching.cpp).
void start_switching();
// Switches CUPTI off and ends the thread that does that (switching.cpp).
void stop_switching();
// The next session starts again (entry.cpp).
void forget_start();

// Callbacks of the API and of resources (api_calls.cpp, resources.cpp).
void enable_api_callbacks();
void enable_resource_callbacks();
void on_api_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data);
void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data);

// What an API call does for synchronization (sync_calls.cpp).
enum class SyncRole : std::uint8_t {
  kNone,
  kStream,
  kStreamWaitEvent,
  kEvent,
  kContext,
  // The roles from here on are about the meaning of events.
  kCreateEvent,
  kRecordEvent,
  kBeginCapture,
  kEndCapture,
};
SyncRole sync_role(const char* name);
// CUPTI's id of the stream; kNoCudaId if it has none. `per_thread`: stream 0 is the thread's own.
std::uint32_t stream_id(CUcontext context, CUstream stream, bool per_thread);
// Called at the exit of a call that has a role. `per_thread`: its stream 0 is the thread's own.
void on_sync_call(SyncRole role, bool per_thread, const CUpti_CallbackData& data,
                  std::uint64_t start, std::uint64_t end);

// Activity records (activity_buffers.cpp, activity_records.cpp).
bool enable_activities();
void disable_activities();
// After disable_activities(): makes CUPTI return our empty buffers, for at most 20 ms.
void take_back_buffers();
void write_activity(const CUpti_Activity* record);
// The record of a call whose row is not made by a callback. The first writes what the second asks
// for: `no_row`: the call only tells that driver calls inside of it have no rows.
void write_recorded_call(const CUpti_ActivityAPI& call);
void write_call_record(const CUpti_ActivityAPI& call, std::uint32_t function, bool no_row);
// Returns whether the record is of a node in a graph whose launch is recorded as a whole. Such a
// record is not written; it is a part of its launch (graph_launches.cpp).
bool add_graph_node(const CUpti_Activity* record);
// Writes the launches of which no node came in the last buffer, or `all`.
void finish_graph_launches(bool all);
// A call was made on behalf of an id that another user of CUPTI, `client` (a string hash), gave.
void write_external_id(std::uint32_t correlation, std::uint8_t kind, std::uint64_t id,
                       std::uint64_t client);

enum class Flush {
  kFinished,  // buffers in which everything is finished
  kForced,    // everything, finished or not
};
// Makes CUPTI hand its records over, if this process may call CUPTI.
void flush(Flush what);
// The same without this check, and without reporting the time it took.
void flush_buffers(Flush what);
// Flushes everything before the process ends, up to the deadline (last_flush.cpp).
void flush_before_exit();

// Sends the name of a context or stream with CUPTI's id (names.cpp).
// While CUPTI is off, keeps it for send_kept_names().
void name_object(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name);
// Sends the names that were given while CUPTI was off.
void send_kept_names();

// Describes a context that existed before CUPTI was enabled and is seen in an API call
// (contexts.cpp).
void describe_context(const CUpti_CallbackData& data);
// CUPTI has described it.
void note_context(std::uint32_t id);
// The next session knows no context.
void forget_contexts();

// Asks the driver and configures what needs the devices. After cuInit (resources.cpp).
void on_init_finished();

// A function of the loaded driver (resources.cpp). Null if the driver lacks it.
void* driver_symbol(const char* name);

// Adds attributes of the GPU that CUPTI's DEVICE records lack. They come from the driver, after
// cuInit.
void complete_device(wire::CudaDeviceRecord& record);

}  // namespace prof::cuda
