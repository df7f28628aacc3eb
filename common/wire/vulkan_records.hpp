// Records of the Vulkan trace (injection/graphics/vulkan). `aux` is the function's id, unless said
// otherwise. Objects are handles of the program.
#pragma once

#include "common/wire/records.hpp"

namespace prof::wire {

// What a VulkanCallRecord stands for.
enum class VulkanClass : std::uint8_t {
  kCall = 0,
  kStarted = 1,      // a moment: the process makes its first instance
  kQueue = 2,        // a moment: the process gets `object`, a queue, for the first time
  kBeginBuffer = 3,  // a call that begins a command buffer, whose open labels are forgotten
};

// A call of a function, or a moment.
struct VulkanCallRecord {
  RecordHeader header;  // flags: VulkanClass
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t object;
  std::uint32_t correlation;  // of a submit, from 1 in each process; 0: none
  std::uint32_t reserved;
};

// Flags of VulkanLabelRecord.
inline constexpr std::uint8_t kVulkanLabelBegins = 1;
inline constexpr std::uint8_t kVulkanLabelEnds = 2;
inline constexpr std::uint8_t kVulkanLabelHasColor = 4;

// A call that begins or ends a debug label, or, without these flags, marks a moment.
struct VulkanLabelRecord {
  RecordHeader header;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t object;       // command buffer or queue
  std::uint64_t text;         // string hash; 0 if the label ends
  std::uint32_t color;        // RGB
  std::uint32_t correlation;  // numbered together with submits; 0 if the label ends
};

// The name that the program gives to an object.
struct VulkanNameRecord {
  RecordHeader header;  // aux: 0
  std::uint64_t object;
  std::uint64_t name;  // string hash
};

inline constexpr std::uint8_t kVulkanIsStage = 1;

// How long the creation of a pipeline, or of one of its stages, took according to the driver.
// Follows the record of the call; stages follow their pipeline.
struct VulkanPipelineRecord {
  RecordHeader header;     // aux: VkPipelineCreationFeedbackFlags; flags: kVulkanIsStage
  std::uint64_t start;     // of the call
  std::uint64_t duration;  // ns
};

// What a VulkanMemoryRecord stands for.
enum class VulkanMemoryKind : std::uint8_t {
  kAllocation = 0,
  kRelease = 1,
  kMapping = 2,
  kBinding = 3,
};

// What a call does with memory of a device. Follows the record of the call.
struct VulkanMemoryRecord {
  RecordHeader header;       // flags: VulkanMemoryKind; aux: of allocations: index of the heap
  std::uint64_t start;       // of the call
  std::uint64_t memory;      // handle of the memory
  std::uint64_t size;        // bytes of an allocation or mapping; all bits: up to the end
  std::uint64_t offset;      // first byte of a mapping or binding
  std::uint64_t target;      // of bindings: handle of the buffer or image
  std::uint32_t properties;  // of allocations: VkMemoryPropertyFlags
  std::uint32_t heap_flags;  // of allocations: VkMemoryHeapFlags
  std::uint32_t device;      // as in VulkanClockRecord
  std::uint32_t reserved;
};

// Flags of VulkanWorkloadRecord.
inline constexpr std::uint8_t kVulkanIsBatch = 1;  // all command buffers of a submit
inline constexpr std::uint8_t kVulkanIsLabel = 2;  // has `text`
inline constexpr std::uint8_t kVulkanWorkHasColor = 4;

// What the GPU did for a submit, in whole or in part.
struct VulkanWorkloadRecord {
  RecordHeader header;  // aux: id of the function that submitted it, or began the label
  std::uint64_t start;  // on the GPU's clock, ticks
  std::uint64_t end;
  std::uint64_t object;       // command buffer; with kVulkanIsBatch: queue
  std::uint64_t text;         // string hash, with kVulkanIsLabel
  std::uint32_t color;        // RGB, with kVulkanWorkHasColor
  std::uint32_t correlation;  // of the submit
  std::uint32_t device;       // as in VulkanClockRecord
  std::uint32_t tid;          // thread that submitted it
};

// The GPU's clock read together with the session's clock. A device has at least one record if it
// has workloads.
struct VulkanClockRecord {
  RecordHeader header;   // aux: number of the device in its process, from 0
  std::uint64_t ticks;   // of the GPU
  std::uint64_t time;    // of the session
  std::uint64_t error;   // clock units of the session: `time` is at most this value off
  std::uint64_t period;  // length of a tick, millionths of 1 ns
};

static_assert(kIsRecord<VulkanCallRecord> && sizeof(VulkanCallRecord) == 40);
static_assert(kIsRecord<VulkanLabelRecord> && sizeof(VulkanLabelRecord) == 48);
static_assert(kIsRecord<VulkanNameRecord> && sizeof(VulkanNameRecord) == 24);
static_assert(kIsRecord<VulkanPipelineRecord> && sizeof(VulkanPipelineRecord) == 24);
static_assert(kIsRecord<VulkanMemoryRecord> && sizeof(VulkanMemoryRecord) == 64);
static_assert(kIsRecord<VulkanWorkloadRecord> && sizeof(VulkanWorkloadRecord) == 56);
static_assert(kIsRecord<VulkanClockRecord> && sizeof(VulkanClockRecord) == 40);

}  // namespace prof::wire
