// The side of the fake CUPTI that the real one shows to the driver: programs say here what the GPU
// and the API did, and the client hears of it as far as it asked to.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <memory>
#include <string>

namespace fake {

// What FAKE_CUPTI asks for, a comma-separated list.
struct Misbehaviour {
  bool taken = false;          // another tool holds the subscription
  bool unnamed = false;        // which has given no name
  bool drop = false;           // reports 7 lost records, once
  bool unknown_kind = false;   // a record of kind 9999 behind every fourth
  bool no_clock = false;       // the timestamp callback is taken and not used
  bool on_app_thread = false;  // buffers are completed on the thread that filled them
  int hang_flush = -1;         // seconds that a forced flush blocks; 0: for ever
  std::uint32_t version = CUPTI_API_VERSION;  // `old`: 18; `v12`: 24, with the records of then
  std::string fail;                           // this function fails
  CUptiResult result = CUPTI_ERROR_UNKNOWN;   // in this way
};
const Misbehaviour& misbehaviour();

// CUPTI's clock: the client's if it gave one.
std::uint64_t now();

bool is_enabled(CUpti_ActivityKind kind);

// The GPU that an ordinal means: FAKE_CUDA_FIRST is the first one that the process may use.
int physical(int ordinal);

// cuInit is done; `devices` can be configured from now on.
void init_finished(int devices);

void resource(CUpti_CallbackId id, CUpti_GraphData& data);

// What a callback is told of a call besides its name: the parameters begin with two pointers.
struct Arguments {
  std::uint32_t context = 1;  // of the calling thread
  const void* parameters[2] = {};
};

// A call of the API from construction to destruction. A driver call inside a runtime call has its
// correlation id.
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
};

// The same in two halves, for a replay, which knows its ids.
void replay_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_ApiCallbackSite site,
                 std::uint32_t correlation, std::int32_t result, std::uint64_t* correlation_data,
                 const Arguments& arguments);

// A record of the newest layout; it is left out if its kind is not enabled, and cut to what the
// version knows. Returns whether it was taken.
bool record(const void* bytes, std::size_t size);

// A kernel that runs on until complete(). Only a forced flush hands it over before.
class UnfinishedKernel {
 public:
  explicit UnfinishedKernel(const CUpti_ActivityKernel10& kernel);
  void complete(std::uint64_t start, std::uint64_t end);

 private:
  std::shared_ptr<struct ActivityBuffer> buffer_;
  std::size_t offset_ = 0;
};

// Records that were handed over so far.
std::size_t delivered_records();

// What has an id in CUPTI: graphs, executable graphs, nodes and streams.
struct Object {
  std::uint64_t id;
};

// What a CUstream and a CUcontext of the fake's point to.
struct Context : Object {};
struct Stream : Object {
  Context* context;
};

}  // namespace fake
