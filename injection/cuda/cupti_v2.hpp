// What newer versions of CUPTI have, and what the headers that prof is built with may lack. The
// values and layouts are checked against CUPTI's headers where these have them.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace prof::cuda::v2 {

// --- The first versions (cuptiGetVersion) in which something holds.

// Records of functions that the GPU makes the host call, and of context switches.
inline constexpr std::uint32_t kHostFunctions = 130100;
// Functions with a subscriber. Green contexts have records of a separate kind, 0 means "no context"
// and "no stream", and the client frees arrays of the records of NVLinks.
inline constexpr std::uint32_t kSubscribers = 130200;
// Each of several subscribers has its clock, kinds and buffers.
inline constexpr std::uint32_t kSeveralSubscribers = 130400;
// The hardware trace works without the faults of its first versions (CUDA 13.4 Update 1).
inline constexpr std::uint32_t kHardwareTrace = 130401;
// Once launches of whole graphs were recorded, the nodes of graphs are not recorded any more, even
// after the kind was disabled.
inline constexpr std::uint32_t kGraphsStayWhole = 130500;

// --- Kinds of activities.

inline constexpr auto kGraphHostNodeKind = static_cast<CUpti_ActivityKind>(56);
inline constexpr auto kContextSwitchKind = static_cast<CUpti_ActivityKind>(57);
inline constexpr auto kHostLaunchKind = static_cast<CUpti_ActivityKind>(58);
inline constexpr auto kGreenContextKind = static_cast<CUpti_ActivityKind>(59);

// --- Attributes that only the functions with a subscriber set and get.

inline constexpr unsigned kFirstAttribute = 11;
// 1: each kind is enabled with a selection of the fields that its records have.
inline constexpr auto kSelectionsAttribute = static_cast<CUpti_ActivityAttribute>(kFirstAttribute);
inline constexpr auto kSubscribersAttribute = static_cast<CUpti_ActivityAttribute>(12);
inline constexpr auto kHardwareTraceAttribute = static_cast<CUpti_ActivityAttribute>(13);
inline constexpr auto kAllocationSourceAttribute = static_cast<CUpti_ActivityAttribute>(14);
inline constexpr auto kLatencyAttribute = static_cast<CUpti_ActivityAttribute>(15);
inline constexpr auto kAllSyncAttribute = static_cast<CUpti_ActivityAttribute>(16);
inline constexpr auto kEventTimesAttribute = static_cast<CUpti_ActivityAttribute>(17);
inline constexpr auto kLaunchAttribute = static_cast<CUpti_ActivityAttribute>(18);
inline constexpr auto kDeviceGraphAttribute = static_cast<CUpti_ActivityAttribute>(19);
// 1: launches of whole graphs are recorded, not their nodes. The first value is for all subscribers
// and for the rest of the process.
inline constexpr auto kWholeGraphsAttribute = static_cast<CUpti_ActivityAttribute>(20);
inline constexpr auto kThreadIdAttribute = static_cast<CUpti_ActivityAttribute>(21);
inline constexpr auto kClockAttribute = static_cast<CUpti_ActivityAttribute>(22);

// --- Parameters and records.

// The parameters of cuptiSubscribe_v2. The first version has no member after the size of the name.
struct SubscriberParams {
  std::size_t size;
  const char* name;
  char* old_name;
  std::size_t old_name_size;
  std::uint8_t allows_others;
  std::uint8_t padding[7];
};
inline constexpr std::size_t kFirstParamsSize =
    offsetof(CUpti_SubscriberParams, oldSubscriberSize) + sizeof(std::size_t);

// The fields that records of a kind shall have, by their numbers in CUPTI's enumerations. The kind
// is the first one.
struct Selection {
  std::size_t size;
  std::size_t count;
  const int* fields;
};
// What a kind is enabled with.
struct KindConfig {
  std::size_t size;
  Selection selection;
  const void* options;
};
// Where a field is in records with selected fields.
struct FieldPlace {
  std::size_t size;
  int field;
  std::size_t offset;
  std::size_t bytes;
  std::size_t alignment;
};
struct RecordPlaces {
  std::size_t size;
  FieldPlace* fields;
  std::size_t count;
  std::size_t bytes;
};
// What CUPTI says of a buffer that it gives back. `places` has an element of each kind, which is
// null for a kind without a selection.
struct BufferInfo {
  std::size_t size;
  std::uint64_t thread;
  RecordPlaces** places;
  std::size_t kinds;
};

// The functions that give CUPTI buffers of a subscriber, and get them back.
using Request = void(std::uint8_t** memory, std::size_t* size, std::size_t* records, void* info);
using Complete = void(std::uint8_t* memory, std::size_t size, std::size_t valid, void* info);

// A host function that was a node of a graph.
struct GraphHostNode {
  CUpti_ActivityKind kind;
  std::uint32_t stream;  // the stream that waits for the function
  std::uint32_t context;
  std::uint32_t device;
  std::uint32_t correlation;
  std::uint32_t graph;
  std::uint64_t node;
  std::uint32_t process;
  std::uint32_t thread;  // the thread that runs the function
  std::uint64_t start;
  std::uint64_t end;
};

// A host function that was launched into a stream.
struct HostLaunch {
  CUpti_ActivityKind kind;
  std::uint32_t stream;
  std::uint32_t context;
  std::uint32_t device;
  std::uint32_t correlation;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t padding;
  std::uint64_t start;
  std::uint64_t end;
};

// The GPU begins or ends to work for a context.
struct ContextSwitch {
  CUpti_ActivityKind kind;
  std::uint32_t context;
  std::uint64_t time;
  std::uint32_t operation;  // 1: begins, 2: ends
  std::uint32_t padding;
};

// The beginning of the record of a green context, which is the same in all versions.
struct GreenContext {
  CUpti_ActivityKind kind;
  std::uint32_t context;
  std::uint32_t parent;
  std::uint32_t device;
  std::uint32_t tpcs;
  std::uint16_t multiprocessors;
  std::uint8_t mask_size;
  std::uint8_t padding;
};

// The beginning of the record of an NVLink. Each array has a port of each physical link.
struct NvLink {
  CUpti_ActivityKind kind;
  std::uint32_t version;
  std::uint32_t types[2];
  std::uint8_t ids[2][16];
  std::uint32_t flag;
  std::uint32_t links;
  std::uint32_t* ports[2];
};

static_assert(kFirstParamsSize == 32 && sizeof(SubscriberParams) == 40 &&
              offsetof(SubscriberParams, allows_others) == kFirstParamsSize);
static_assert(sizeof(GraphHostNode) == 56 && offsetof(GraphHostNode, node) == 24 &&
              offsetof(GraphHostNode, start) == 40);
static_assert(sizeof(HostLaunch) == 48 && offsetof(HostLaunch, start) == 32);
static_assert(sizeof(KindConfig) == 40 && sizeof(FieldPlace) == 40 && sizeof(RecordPlaces) == 32 &&
              sizeof(BufferInfo) == 32);
static_assert(sizeof(ContextSwitch) == 24 && sizeof(GreenContext) == 24);
static_assert(offsetof(NvLink, links) == 52 && offsetof(NvLink, ports) == 56);

#if CUPTI_API_VERSION >= 130200
#define PROF_SAME_PLACE(ours, member, theirs, their_member) \
  static_assert(offsetof(ours, member) == offsetof(theirs, their_member))
static_assert(kGraphHostNodeKind == CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE);
static_assert(kContextSwitchKind == CUPTI_ACTIVITY_KIND_COMPUTE_ENGINE_CTX_SWITCH);
static_assert(kHostLaunchKind == CUPTI_ACTIVITY_KIND_HOST_LAUNCH);
static_assert(kGreenContextKind == CUPTI_ACTIVITY_KIND_GREEN_CONTEXT);
static_assert(kSelectionsAttribute == CUPTI_ACTIVITY_ATTR_USER_DEFINED_RECORDS);
static_assert(kSubscribersAttribute == CUPTI_ACTIVITY_ATTR_MULTIPLE_SUBSCRIBER_STATE);
static_assert(kHardwareTraceAttribute == CUPTI_ACTIVITY_ATTR_ENABLE_HES);
static_assert(sizeof(Selection) == sizeof(CUpti_ActivityFieldSelection));
static_assert(sizeof(BufferInfo) == sizeof(CUpti_BufferCallbackCompleteInfo));
PROF_SAME_PLACE(KindConfig, selection, CUpti_ActivityConfig, fieldSelection);
PROF_SAME_PLACE(Selection, fields, CUpti_ActivityFieldSelection, pFieldIds);
PROF_SAME_PLACE(FieldPlace, bytes, CUpti_ActivityFieldLayoutEntry, size);
PROF_SAME_PLACE(FieldPlace, offset, CUpti_ActivityFieldLayoutEntry, offset);
PROF_SAME_PLACE(RecordPlaces, fields, CUpti_ActivityRecordLayout, pEntries);
PROF_SAME_PLACE(RecordPlaces, bytes, CUpti_ActivityRecordLayout, recordSize);
PROF_SAME_PLACE(BufferInfo, places, CUpti_BufferCallbackCompleteInfo, ppRecordLayouts);
static_assert(sizeof(GraphHostNode) == sizeof(CUpti_ActivityGraphHostNode));
PROF_SAME_PLACE(GraphHostNode, correlation, CUpti_ActivityGraphHostNode, correlationId);
PROF_SAME_PLACE(GraphHostNode, node, CUpti_ActivityGraphHostNode, graphNodeId);
PROF_SAME_PLACE(GraphHostNode, thread, CUpti_ActivityGraphHostNode, threadId);
PROF_SAME_PLACE(GraphHostNode, end, CUpti_ActivityGraphHostNode, end);
static_assert(sizeof(HostLaunch) == sizeof(CUpti_ActivityHostLaunch));
PROF_SAME_PLACE(HostLaunch, correlation, CUpti_ActivityHostLaunch, correlationId);
PROF_SAME_PLACE(HostLaunch, thread, CUpti_ActivityHostLaunch, threadId);
PROF_SAME_PLACE(HostLaunch, end, CUpti_ActivityHostLaunch, end);
static_assert(sizeof(ContextSwitch) == sizeof(CUpti_ActivityComputeEngineCtxSwitch));
PROF_SAME_PLACE(ContextSwitch, operation, CUpti_ActivityComputeEngineCtxSwitch, operationType);
PROF_SAME_PLACE(GreenContext, parent, CUpti_ActivityGreenContext2, parentContextId);
PROF_SAME_PLACE(GreenContext, multiprocessors, CUpti_ActivityGreenContext2, numMultiprocessors);
PROF_SAME_PLACE(NvLink, links, CUpti_ActivityNvLink5, physicalNvLinkCount);
PROF_SAME_PLACE(NvLink, ports[1], CUpti_ActivityNvLink5, portDev1);
#undef PROF_SAME_PLACE
#endif

}  // namespace prof::cuda::v2
