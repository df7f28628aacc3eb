// Sizes of records, by version. Records grow at their end, so an older one is the beginning of the
// newest. Static assertions check that the beginnings are equal.
#pragma once

#include <cupti.h>
#include <cupti_activity_deprecated.h>

#include <cstddef>
#include <cstdint>

#include "injection/cuda/cupti_v2.hpp"

namespace fake {

inline constexpr int kUnknownKind = 9999;
inline constexpr std::size_t kUnknownKindSize = 40;

#define SAME_PLACE(older, newer, member) \
  static_assert(offsetof(older, member) == offsetof(newer, member))
SAME_PLACE(CUpti_ActivityKernel9, CUpti_ActivityKernel10, maxActiveClusters);
SAME_PLACE(CUpti_ActivityMemcpy5, CUpti_ActivityMemcpy6, channelType);
SAME_PLACE(CUpti_ActivityMemory3, CUpti_ActivityMemory4, memoryPoolConfig);
SAME_PLACE(CUpti_ActivityMemoryPool2, CUpti_ActivityMemoryPool3, utilizedSize);
SAME_PLACE(CUpti_ActivityDevice4, CUpti_ActivityDevice5, migUuid);
SAME_PLACE(CUpti_ActivityContext2, CUpti_ActivityContext3, numMultiprocessors);
SAME_PLACE(CUpti_ActivityOverhead2, CUpti_ActivityOverhead3, correlationId);
SAME_PLACE(CUpti_ActivityUnifiedMemoryCounter2, CUpti_ActivityUnifiedMemoryCounter3, flags);
SAME_PLACE(CUpti_ActivityCudaEvent, CUpti_ActivityCudaEvent2, eventId);
SAME_PLACE(CUpti_ActivitySynchronization, CUpti_ActivitySynchronization2, cudaEventId);
SAME_PLACE(CUpti_ActivityGraphTrace, CUpti_ActivityGraphTrace2, streamId);
#undef SAME_PLACE

struct RecordSize {
  int kind;
  std::size_t newest;
  std::size_t cuda_12_6;  // version 24
};

inline constexpr RecordSize kRecordSizes[] = {
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(CUpti_ActivityKernel10),
     sizeof(CUpti_ActivityKernel9)},
    {CUPTI_ACTIVITY_KIND_KERNEL, sizeof(CUpti_ActivityKernel10), sizeof(CUpti_ActivityKernel9)},
    {CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(CUpti_ActivityMemcpy6), sizeof(CUpti_ActivityMemcpy5)},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, sizeof(CUpti_ActivityMemcpyPtoP4),
     sizeof(CUpti_ActivityMemcpyPtoP4)},
    {CUPTI_ACTIVITY_KIND_MEMSET, sizeof(CUpti_ActivityMemset4), sizeof(CUpti_ActivityMemset4)},
    {CUPTI_ACTIVITY_KIND_MEMORY2, sizeof(CUpti_ActivityMemory4), sizeof(CUpti_ActivityMemory3)},
    {CUPTI_ACTIVITY_KIND_MEMORY_POOL, sizeof(CUpti_ActivityMemoryPool3),
     sizeof(CUpti_ActivityMemoryPool2)},
    {CUPTI_ACTIVITY_KIND_DEVICE, sizeof(CUpti_ActivityDevice5), sizeof(CUpti_ActivityDevice4)},
    {CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE, sizeof(CUpti_ActivityDeviceAttribute),
     sizeof(CUpti_ActivityDeviceAttribute)},
    {CUPTI_ACTIVITY_KIND_CONTEXT, sizeof(CUpti_ActivityContext3), sizeof(CUpti_ActivityContext2)},
    {CUPTI_ACTIVITY_KIND_STREAM, sizeof(CUpti_ActivityStream), sizeof(CUpti_ActivityStream)},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(CUpti_ActivityOverhead3),
     sizeof(CUpti_ActivityOverhead2)},
    {CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, sizeof(CUpti_ActivityUnifiedMemoryCounter3),
     sizeof(CUpti_ActivityUnifiedMemoryCounter2)},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, sizeof(CUpti_ActivityCudaEvent2),
     sizeof(CUpti_ActivityCudaEvent)},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(CUpti_ActivitySynchronization2),
     sizeof(CUpti_ActivitySynchronization)},
    {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, sizeof(CUpti_ActivityGraphTrace2),
     sizeof(CUpti_ActivityGraphTrace)},
    {CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE, sizeof(CUpti_ActivityDeviceGraphTrace),
     sizeof(CUpti_ActivityDeviceGraphTrace)},
    {CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI), sizeof(CUpti_ActivityAPI)},
    {CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI), sizeof(CUpti_ActivityAPI)},
    {CUPTI_ACTIVITY_KIND_NVLINK, sizeof(CUpti_ActivityNvLink4), sizeof(CUpti_ActivityNvLink4)},
    {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, sizeof(CUpti_ActivityExternalCorrelation),
     sizeof(CUpti_ActivityExternalCorrelation)},
    {kUnknownKind, kUnknownKindSize, kUnknownKindSize},
};

// Sizes of newer versions, from the headers of CUPTI 13.1 to 13.5. Those of a kind are in order.
struct NewerSize {
  int kind;
  std::uint32_t since;
  std::size_t size;
};
inline constexpr NewerSize kNewerSizes[] = {
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 130101, 224},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 130301, 232},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 130401, 248},
    {CUPTI_ACTIVITY_KIND_KERNEL, 130101, 224},
    {CUPTI_ACTIVITY_KIND_KERNEL, 130301, 232},
    {CUPTI_ACTIVITY_KIND_KERNEL, 130401, 248},
    {CUPTI_ACTIVITY_KIND_MEMCPY, 130401, 112},
    {CUPTI_ACTIVITY_KIND_MEMSET, 130401, 104},
    {CUPTI_ACTIVITY_KIND_DEVICE, 130202, 192},
    {CUPTI_ACTIVITY_KIND_NVLINK, 130202, 88},
    {prof::cuda::v2::kGraphHostNodeKind, 130101, sizeof(prof::cuda::v2::GraphHostNode)},
    {prof::cuda::v2::kContextSwitchKind, 130101, sizeof(prof::cuda::v2::ContextSwitch)},
    {prof::cuda::v2::kHostLaunchKind, 130101, sizeof(prof::cuda::v2::HostLaunch)},
    {prof::cuda::v2::kGreenContextKind, 130202, 168},
    {prof::cuda::v2::kGreenContextKind, 130401, 304},
};

// 0: this version of the fake does not know the kind.
inline std::size_t record_size(int kind, std::uint32_t version) {
  std::size_t found = 0;
  for (const RecordSize& size : kRecordSizes)
    if (size.kind == kind) found = version == 24 ? size.cuda_12_6 : size.newest;
  for (const NewerSize& size : kNewerSizes)
    if (size.kind == kind && version >= size.since) found = size.size;
  return found;
}

}  // namespace fake
