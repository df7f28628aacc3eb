// Messages from the sampling process to the collector, through a pipe: a header and its payload.
// Both processes run the same prof, so the structs are written as they are in memory.
#pragma once

#include <cstdint>

namespace prof::metrics {

enum class MessageKind : std::uint32_t {
  kGroup = 1,  // JSON of a MetricSourceNote; `number`: the group
  kSamples,    // a MetricSample and its values, repeated; `number`: the group
  kRemark,     // a text for DIAGNOSTIC_EVENT; `number`: the severity
  kReady,      // sampling has started for all GPUs that can be sampled; no payload
  kRefused,    // the options do not suit this machine; payload: the reason
};

struct MessageHeader {
  MessageKind kind;
  std::uint32_t number;
  std::uint64_t bytes;  // of the payload
};
static_assert(sizeof(MessageHeader) == 16);

// The maximum size of a payload: larger than several thousand samples.
inline constexpr std::uint64_t kLongestMessage = std::uint64_t{1} << 28;

}  // namespace prof::metrics
