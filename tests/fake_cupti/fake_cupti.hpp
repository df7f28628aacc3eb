// The interface of the fake CUPTI to the driver. Programs report here what the GPU and the API did,
// and the client gets what it has subscribed to.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <memory>
#include <string>

namespace fake {

// The misbehaviour that FAKE_CUPTI selects, as a comma-separated list.
struct Misbehaviour {
  bool taken = false;          // another tool holds the subscription
  bool unnamed = false;        // this tool has given no name
  bool drop = false;           // reports 7 dropped records, once
  bool unknown_kind = false;   // adds a record of kind 9999 after every fourth record
  bool no_clock = false;       // ignores the timestamp callback; its first reading is interrupted
  bool on_app_thread = false;  // buffers are completed on the thread that filled them
  int slow_start = 0;          // ms that a subscription takes
  bool busy = false;           // after each flush the program has new work, and a buffer for it
  int slow_end = 0;            // ms that the end of a subscription takes
  int hang_flush = -1;         // seconds that a forced flush blocks; 0: forever
  // `old`: 18; `v123`: 21; `v12`: 24; `v133`, `v134`, `v135`: 130301 and so on. Records have the
  // size that they have in the version.
  std::uint32_t version = CUPTI_API_VERSION;
  bool no_hardware_trace = false;  // `hes_unsupported`: says so and goes on
  bool is_blackwell = false;       // `hes`: the GPUs have a hardware trace
  // Records that it holds between two flushes (128 MB); `hes_full=N`: fewer.
  std::size_t hardware_records = 4'000'000;
  bool mps = false;              // the GPUs are shared by MPS
  bool mig = false;              // the GPUs are parts of one
  bool older_driver = false;     // it lacks the functions whose ids are 700 and above
  bool one_subscriber = false;   // refuses a subscriber that allows others
  bool strict = false;           // ends the process at a call with a handle of somebody else
  bool wide_ids = false;         // contexts and streams have 64 bits in selected fields of kernels
  bool no_selections = false;    // refuses selections of fields
  bool only_selections = false;  // refuses kernels, copies and fills without one
  // PM sampling: the decode with this number fails, finds the buffer full, or has lost 5 samples.
  int gone_at = 0;
  int overflow_at = 0;
  int hole_at = 0;
  // PC sampling: the read with this number finds the GPU's buffer full; a size of that buffer is
  // refused; reads fail once a size was set.
  int full_at = 0;
  bool no_buffer_size = false;
  bool broken_buffer_size = false;
  std::size_t most_metrics = 64;             // that the GPU can count at the same time
  std::string fail;                          // this function fails
  CUptiResult result = CUPTI_ERROR_UNKNOWN;  // with this result
};
const Misbehaviour& misbehaviour();

// CUPTI's clock: the client's if it gave one.
std::uint64_t now();

bool is_enabled(CUpti_ActivityKind kind);
// True if CUPTI records launches of whole graphs from now on, as some versions do once the kind was
// enabled. Then there are no records of nodes, even if there are none of launches.
bool do_graphs_stay_whole();
// Has the client enabled the callback?
bool listens(CUpti_CallbackDomain domain, CUpti_CallbackId id);

// Adds the records of kinds RUNTIME or DRIVER of a call, and those of the thread's external ids.
void record_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, std::uint32_t correlation,
                 std::uint64_t start, std::int32_t result);

// The physical GPU of an ordinal. FAKE_CUDA_FIRST is the first GPU that the process may use.
int physical(int ordinal);

// cuInit has finished. From now on `devices` can be configured.
void init_finished(int devices);

void resource(CUpti_CallbackId id, CUpti_GraphData& data);
// A callback about a context or a module.
void resource(CUpti_CallbackId id, CUcontext context, void* descriptor);

// The data of a call for a callback, besides its name. The parameters begin with two pointers.
struct Arguments {
  std::uint32_t context = 1;  // of the calling thread
  const void* parameters[2] = {};
  const void* all_parameters = nullptr;  // of a launch, instead of the two
  const char* symbol = nullptr;          // name of its kernel
};

// A call of the API, from construction to destruction. A driver call inside a runtime call has the
// correlation id of that call.
class ApiCall {
 public:
  ApiCall(CUpti_CallbackDomain domain, CUpti_CallbackId id, const Arguments& arguments = {});
  ~ApiCall();
  ApiCall(const ApiCall&) = delete;

  std::uint32_t correlation;
  std::int32_t result = 0;

 private:
  void call_back(CUpti_ApiCallbackSite site);

  CUpti_CallbackDomain domain_;
  CUpti_CallbackId id_;
  Arguments arguments_;
  ApiCall* outer_;
  std::uint64_t correlation_data_ = 0;
  std::uint64_t start_;
};

// Start and end of a call as two functions, for a replay, which sets the ids.
void replay_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_ApiCallbackSite site,
                 std::uint32_t correlation, std::int32_t result, std::uint64_t* correlation_data,
                 const Arguments& arguments);

// Adds a record of the newest layout. It is skipped if its kind is not enabled, and cut to the size
// of the version. Returns whether it was added.
bool record(const void* bytes, std::size_t size);

// A kernel that runs until complete(). Before that, only a forced flush delivers it.
class UnfinishedKernel {
 public:
  explicit UnfinishedKernel(const CUpti_ActivityKernel10& kernel);
  void complete(std::uint64_t start, std::uint64_t end);

 private:
  CUpti_ActivityKernel10 kernel_;
  std::shared_ptr<struct ActivityBuffer> buffer_;
  std::size_t offset_ = 0;
};

// Number of records that the hardware trace holds.
std::size_t held_records();

// Number of records that were delivered so far.
std::size_t delivered_records();

// Objects with an id in CUPTI: graphs, executable graphs, nodes and streams.
struct Object {
  std::uint64_t id;
};

// The fake's CUstream and CUcontext point to these.
struct Context : Object {
  std::uint32_t device = 0;
};
struct Stream : Object {
  Context* context;
};

}  // namespace fake
