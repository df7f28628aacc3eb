// The interface between the files of the CUDA trace.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/wire/cuda_records.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/cuda/cupti_api.hpp"

namespace prof::cuda {

struct State {
  std::int32_t pid;        // the process that set CUPTI up; a fork child must not use CUPTI
  std::int64_t clock_lag;  // CUPTI's clock minus CLOCK_MONOTONIC_RAW, ns; 0 when it uses ours
  CUpti_SubscriberHandle subscriber;
  std::atomic<bool> active;  // activities are enabled in this process
};
extern State g_state;

// Returns whether this process may call CUPTI.
bool is_active();

// Returns whether the call succeeded. Reports a failed call to the collector.
bool check(CuptiFunction function, CUptiResult result);
#define PROF_CUPTI(name, ...)                                \
  ::prof::cuda::check(::prof::cuda::CuptiFunction::k_##name, \
                      ::prof::cuda::g_cupti.name(__VA_ARGS__))

// Finds CUPTI and subscribes, once in a process (entry.cpp). Returns after the attempt.
void start_once();

// Our tracer's part of a callback (entry.cpp).
void trace_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
// Loads CUPTI if it is not loaded yet, subscribes, and enables what is traced. Returns false if
// that is impossible; the reason has then been reported to the collector (entry.cpp).
bool enable_cupti();
// True if the end of cuInit enables the activities: beside other subscribers some things come
// before, which need the driver's devices (entry.cpp).
bool are_activities_delayed();
// At the end of a collection: fetches all records, then ends the subscription.
void fetch_last_records();
void disable_cupti();
// Disables the counters of unified memory. disable_cupti() leaves them on: there CUPTI 13.0 waits 2
// s for its thread (seen on an H200), and the next collection would have to wait, too.
void disable_unified_memory();
// From now on CUPTI is enabled while there is a collection (switching.cpp).
void start_switching();
// Switches CUPTI off and ends the thread that switches it (switching.cpp).
void stop_switching();
// Permits the next session to start CUPTI again (entry.cpp).
void forget_start();

// These enable the callbacks of the API and of resources (api_calls.cpp, graphs.cpp).
void enable_api_callbacks();
void enable_resource_callbacks();
// `word` lasts from the entry of the call to its exit, and is 0 at first.
void on_api_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data,
                 std::uint64_t& word);
// Called at the exit of cudaGraphExecUpdate and cuGraphExecUpdate, with node tracing.
void on_graph_update(const CUpti_CallbackData& data);
void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data);

// The effect of an API call on synchronization (sync_calls.cpp).
enum class SyncRole : std::uint8_t {
  kNone,
  kStream,
  kStreamWaitEvent,
  kEvent,
  kContext,
  kGraphUpdate,
  // The following roles concern events.
  kCreateEvent,
  kRecordEvent,
  kBeginCapture,
  kEndCapture,
};
SyncRole sync_role(const char* name);
// Returns the id of a context or stream; kNoCudaId for what CUPTI gives if there is none, which is
// 0 from 13.2 on and kNoCudaId before.
inline std::uint32_t object_id(std::uint32_t theirs) {
  return theirs == 0 ? wire::kNoCudaId : theirs;
}
// Returns CUPTI's id of the stream; kNoCudaId if it has none. With `per_thread`, stream 0 is the
// thread's own.
std::uint32_t stream_id(CUcontext context, CUstream stream, bool per_thread);
// Called at the exit of a call that has a role. With `per_thread`, stream 0 is the thread's own.
void on_sync_call(SyncRole role, bool per_thread, const CUpti_CallbackData& data,
                  std::uint64_t start, std::uint64_t end);

// Activity records (activity_buffers.cpp, activity_records.cpp).
bool enable_activities();
void disable_activities();
// Makes CUPTI return our empty buffers, for at most 20 ms. Called after disable_activities().
void take_back_buffers();
void write_activity(const CUpti_Activity* record);
// Waits for space for a record of the GPU's work, for a limited time.
void wait_for_room(std::uint32_t size);
// The row of a call that is not made by a callback but from a record. write_recorded_call() writes
// it, the second function requests it. With `no_row`, the record only says that driver calls inside
// of the call have no rows.
void write_recorded_call(const CUpti_ActivityAPI& call);
void write_call_record(const CUpti_ActivityAPI& call, std::uint32_t function, bool no_row);
// Returns whether the record is of a node in a graph whose launch is recorded as a whole. Such a
// record is not written; it is a part of its launch (graph_launches.cpp).
bool add_graph_node(const CUpti_Activity* record);
// From 13.5 on, and for several subscribers, CUPTI records either the nodes of graphs or their
// launches, for the rest of the process. Called then where our tracer wants launches: if the
// program may have clients, which want nodes, our tracer makes the launches of nodes from now on.
// Returns whether it does.
bool choose_graph_nodes();
bool are_launches_made();
// Writes the launches of which the last buffer had no node, or `all`.
void finish_graph_launches(bool all);
// Records that a call was made for an external id, pushed by another user of CUPTI. `client` is the
// string hash of that user.
void write_external_id(std::uint32_t correlation, std::uint8_t kind, std::uint64_t id,
                       std::uint64_t client);

enum class Flush {
  kFinished,  // only buffers in which everything has finished
  kForced,    // everything, finished or not
};
// Makes CUPTI deliver its records, if this process may call CUPTI.
void flush(Flush what);
// Like flush(), without the check of the process and without a report of the time it took.
void flush_buffers(Flush what);
// Flushes everything before the process ends, until the deadline (last_flush.cpp).
void flush_before_exit();

// Sends the name of a context or stream with CUPTI's id (names.cpp). While CUPTI is off, stores the
// name for send_kept_names().
void name_object(wire::CudaObject kind, std::uintptr_t handle, std::uint64_t name);
// Sends the names that were stored while CUPTI was off.
void send_kept_names();

// Describes a context that existed before CUPTI was enabled and appears in an API call
// (contexts.cpp).
void describe_context(const CUpti_CallbackData& data);
// Records that CUPTI has described the context.
void note_context(std::uint32_t id);
// Forgets which contexts were described, because the next session does not know them.
void forget_contexts();

// Reads data from the driver, and configures everything that needs the devices. Called after cuInit
// (driver_facts.cpp).
void on_init_finished();

// Returns a function of the loaded driver (driver_facts.cpp), or null if the driver lacks it.
void* driver_symbol(const char* name);
#define PROF_TEXT_OF(expanded) #expanded
#define PROF_EXPANDED_TEXT_OF(name) PROF_TEXT_OF(name)
// Returns the function that cuda.h means by a name. The driver also has functions of former
// versions: its cuMemGetInfo is not cuda.h's, which is cuMemGetInfo_v2, but writes 32 bits.
#define PROF_DRIVER_FUNCTION(name) \
  reinterpret_cast<decltype(&::name)>(::prof::cuda::driver_symbol(PROF_EXPANDED_TEXT_OF(name)))

// --- The hardware trace of the GPU (hardware_trace.cpp).

// What decides whether it is used.
struct TimingFacts {
  int devices = 0;
  int oldest = 0;  // the lowest compute capability, major * 10 + minor; 0: not known
  bool has_mps = false;
  bool has_mig = false;
};
// Switches it on if it works well here, or was forced. Reports how GPU work is timed, and why.
// Called when the driver knows its devices, and no context exists in a program that prof starts.
void choose_timing(const TimingFacts& facts);
bool is_timed_by_hardware();
// Records what CUPTI says about its state.
void on_state(const CUpti_StateData& state);

// Adds attributes of the GPU that CUPTI's DEVICE records lack. They come from the driver, after
// cuInit.
void complete_device(wire::CudaDeviceRecord& record);

}  // namespace prof::cuda
