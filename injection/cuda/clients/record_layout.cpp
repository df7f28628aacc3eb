#include "injection/cuda/clients/record_layout.hpp"

#include <cupti_activity_deprecated.h>

#include "injection/cuda/clients/client.hpp"
#include "injection/cuda/cupti_v2.hpp"

namespace prof::cuda::clients {

namespace {

#define AT(record, member) static_cast<std::uint16_t>(offsetof(record, member))
#define INTERVAL(record) \
  { AT(record, start), AT(record, end) }

constexpr RecordLayout kLayouts[] = {
    {CUPTI_ACTIVITY_KIND_MEMCPY, INTERVAL(CUpti_ActivityMemcpy6),
     AT(CUpti_ActivityMemcpy6, correlationId), 0},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, INTERVAL(CUpti_ActivityMemcpyPtoP4),
     AT(CUpti_ActivityMemcpyPtoP4, correlationId), 0},
    {CUPTI_ACTIVITY_KIND_MEMSET, INTERVAL(CUpti_ActivityMemset4),
     AT(CUpti_ActivityMemset4, correlationId), 0},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
     {AT(CUpti_ActivityKernel9, start), AT(CUpti_ActivityKernel9, end),
      AT(CUpti_ActivityKernel9, completed), AT(CUpti_ActivityKernel9, queued),
      AT(CUpti_ActivityKernel9, submitted)},
     AT(CUpti_ActivityKernel9, correlationId),
     0},
    {CUPTI_ACTIVITY_KIND_DRIVER, INTERVAL(CUpti_ActivityAPI), AT(CUpti_ActivityAPI, correlationId),
     AT(CUpti_ActivityAPI, threadId)},
    {CUPTI_ACTIVITY_KIND_RUNTIME, INTERVAL(CUpti_ActivityAPI), AT(CUpti_ActivityAPI, correlationId),
     AT(CUpti_ActivityAPI, threadId)},
    {CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API, INTERVAL(CUpti_ActivityAPI),
     AT(CUpti_ActivityAPI, correlationId), AT(CUpti_ActivityAPI, threadId)},
    {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
     {},
     AT(CUpti_ActivityExternalCorrelation, correlationId),
     0},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, INTERVAL(CUpti_ActivitySynchronization),
     AT(CUpti_ActivitySynchronization, correlationId), 0},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, {}, AT(CUpti_ActivityCudaEvent, correlationId), 0},
    {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, INTERVAL(CUpti_ActivityGraphTrace),
     AT(CUpti_ActivityGraphTrace, correlationId), 0},
    {CUPTI_ACTIVITY_KIND_MEMORY2,
     {AT(CUpti_ActivityMemory3, timestamp)},
     AT(CUpti_ActivityMemory3, correlationId),
     0},
    {CUPTI_ACTIVITY_KIND_MEMORY_POOL,
     {AT(CUpti_ActivityMemoryPool2, timestamp)},
     AT(CUpti_ActivityMemoryPool2, correlationId),
     0},
    {CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS, INTERVAL(CUpti_ActivityMemDecompress),
     AT(CUpti_ActivityMemDecompress, correlationId), 0},
    {CUPTI_ACTIVITY_KIND_JIT, INTERVAL(CUpti_ActivityJit2), AT(CUpti_ActivityJit2, correlationId),
     AT(CUpti_ActivityJit2, threadId)},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, INTERVAL(CUpti_ActivityOverhead2), 0,
     AT(CUpti_ActivityOverhead2, objectId.pt.threadId)},
    {CUPTI_ACTIVITY_KIND_MARKER,
     {AT(CUpti_ActivityMarker2, timestamp)},
     0,
     AT(CUpti_ActivityMarker2, objectId.pt.threadId)},
    {CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, INTERVAL(CUpti_ActivityUnifiedMemoryCounter2), 0,
     0},
    {CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE, INTERVAL(CUpti_ActivityDeviceGraphTrace), 0, 0},
    {CUPTI_ACTIVITY_KIND_MEMORY, INTERVAL(CUpti_ActivityMemory), 0, 0},
    {CUPTI_ACTIVITY_KIND_ENVIRONMENT, {AT(CUpti_ActivityEnvironment, timestamp)}, 0, 0},
    {CUPTI_ACTIVITY_KIND_OPENACC_DATA, INTERVAL(CUpti_ActivityOpenAccData), 0, 0},
    {CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH, INTERVAL(CUpti_ActivityOpenAccLaunch), 0, 0},
    {CUPTI_ACTIVITY_KIND_OPENACC_OTHER, INTERVAL(CUpti_ActivityOpenAccOther), 0, 0},
    {CUPTI_ACTIVITY_KIND_OPENMP, INTERVAL(CUpti_ActivityOpenMp), 0, 0},
    {v2::kGraphHostNodeKind, INTERVAL(v2::GraphHostNode), AT(v2::GraphHostNode, correlation),
     AT(v2::GraphHostNode, thread)},
    {v2::kHostLaunchKind, INTERVAL(v2::HostLaunch), AT(v2::HostLaunch, correlation),
     AT(v2::HostLaunch, thread)},
    {v2::kContextSwitchKind, {AT(v2::ContextSwitch, time)}, 0, 0},
};
#undef INTERVAL
#undef AT

struct LayoutsByKind {
  std::uint8_t number[kKinds];  // in kLayouts, counted from 1; 0: none
};

constexpr LayoutsByKind by_kind() {
  LayoutsByKind found{};
  std::uint8_t number = 0;
  for (const RecordLayout& layout : kLayouts) found.number[layout.kind] = ++number;
  return found;
}
constexpr LayoutsByKind kByKind = by_kind();

}  // namespace

const RecordLayout* layout_of(CUpti_ActivityKind kind) {
  const auto at = static_cast<unsigned>(kind);
  const unsigned number = at < kKinds ? kByKind.number[at] : 0;
  return number == 0 ? nullptr : &kLayouts[number - 1];
}

}  // namespace prof::cuda::clients
