// The file format of a recorded CUPTI session. The recorder writes it on a machine with a GPU, and
// the fakes replay it on a machine without one.
//
// A file is a Header and then items in the order in which they arrived. An item is an ItemHeader,
// the struct of its type, the bytes that the struct counts, and zeros up to a multiple of 8.
// Little-endian. Times are CLOCK_MONOTONIC_RAW in ns; for records Header::clock_lag must be
// subtracted.
#pragma once

#include <cstdint>

namespace fake {

inline constexpr char kMagic[8] = {'C', 'U', 'P', 'T', 'I', 'R', 'E', 'C'};
inline constexpr std::uint32_t kFormat = 2;

struct Header {
  char magic[8];
  std::uint32_t format;
  std::uint32_t cupti_version;  // CUPTI_API_VERSION of the library
  std::uint64_t start;          // start of the recording
  std::int64_t clock_lag;       // CUPTI's clock minus ours, ns; 0: CUPTI uses our clock
  std::uint32_t graph_nodes;    // 1: graphs node by node, 0: GRAPH_TRACE
  std::uint32_t reserved;
};

enum class ItemType : std::uint16_t {
  kName = 1,      // before the first call of the function
  kCall = 2,      // an API callback
  kResource = 3,  // a resource callback
  kBuffer = 4,    // a buffer was completed; its records follow
  kRecord = 5,    // an activity record
};

struct ItemHeader {
  ItemType type;
  std::uint16_t reserved;
  std::uint32_t bytes;  // of all that follows, before the zeros
};

struct Name {  // followed by the text, without a NUL
  std::uint32_t domain;
  std::uint32_t cbid;
};

// The meaning of the first two parameters of a call, as far as a replay needs it.
enum class Parameter : std::uint8_t {
  kOther,     // recorded as 0
  kStream,    // recorded as CUPTI's id
  kEvent,     // recorded as the handle
  kNewEvent,  // the call writes a handle here; recorded at the exit as the handle
};
struct Parameters {
  Parameter kinds[2];
};

inline bool is_named(const char* name, const char* runtime, const char* driver) {
  const auto begins_with = [name](const char* beginning) {
    const char* at = name;
    while (*beginning != '\0' && *at == *beginning) ++at, ++beginning;
    return *beginning == '\0';
  };
  return begins_with(runtime) || begins_with(driver);
}

inline Parameters parameters_of(const char* name) {
  using enum Parameter;
  if (is_named(name, "cudaStreamWaitEvent", "cuStreamWaitEvent")) return {{kStream, kEvent}};
  if (is_named(name, "cudaEventRecord", "cuEventRecord")) return {{kEvent, kStream}};
  if (is_named(name, "cudaEventCreate", "cuEventCreate")) return {{kNewEvent, kOther}};
  if (is_named(name, "cudaEventSynchronize", "cuEventSynchronize")) return {{kEvent, kOther}};
  if (is_named(name, "cudaEventQuery", "cuEventQuery")) return {{kEvent, kOther}};
  if (is_named(name, "cudaStreamSynchronize", "cuStreamSynchronize")) return {{kStream, kOther}};
  if (is_named(name, "cudaStreamQuery", "cuStreamQuery")) return {{kStream, kOther}};
  if (is_named(name, "cudaStreamBeginCapture", "cuStreamBeginCapture")) return {{kStream, kOther}};
  if (is_named(name, "cudaStreamEndCapture", "cuStreamEndCapture")) return {{kStream, kOther}};
  return {{kOther, kOther}};
}

struct Call {
  std::uint32_t domain;
  std::uint32_t cbid;
  std::uint32_t site;  // CUpti_ApiCallbackSite
  std::uint32_t correlation;
  std::uint32_t thread;  // 0 for the first thread seen, and so on
  std::int32_t result;   // at the exit
  std::uint32_t context;
  std::uint32_t reserved;
  std::uint64_t time;
  std::uint64_t parameters[2];  // recorded at the exit, see Parameter
};

struct Resource {  // ids of CUPTI, 0: none
  std::uint32_t cbid;
  std::uint32_t thread;
  std::uint64_t time;
  std::uint64_t graph;
  std::uint64_t original_graph;
  std::uint64_t exec;
  std::uint64_t node;
  std::uint64_t original_node;
};

// The thread on which a buffer was completed.
enum class Deliverer : std::uint32_t {
  kFlush = 0,    // ours, in a flush that we called
  kWorker = 1,   // a thread that made no call: CUPTI's own
  kProgram = 2,  // a thread that makes calls
};

struct Buffer {
  std::uint32_t number;
  Deliverer by;
  std::uint64_t valid;    // bytes
  std::uint64_t dropped;  // number of records so far
  std::uint64_t time;
};

struct Record {  // followed by the record's bytes with pointers zeroed, and the text, without a NUL
  std::uint32_t buffer;
  Deliverer by;
  std::uint32_t size;  // distance to the next record, or to the end of the buffer
  std::uint32_t text;  // bytes: name of the kernel, the device or the variable
};

inline constexpr std::uint32_t padded(std::uint32_t bytes) { return (bytes + 7) & ~7U; }

}  // namespace fake
