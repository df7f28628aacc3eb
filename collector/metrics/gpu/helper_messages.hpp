// What the helper process writes to the collector, through a pipe: a header and its payload. Both
// are the same prof, so the layout is that of the compiler.
#pragma once

#include <cstdint>

namespace prof::metrics {

enum class MessageKind : std::uint32_t {
  kGroup = 1,  // JSON of a MetricSourceNote; number: that of the group
  kSamples,    // of group `number`: MetricSample and its values, for each
  kRemark,     // a text for DIAGNOSTIC_EVENT; number: its severity
  kReady,      // everything that can be sampled is sampled; no payload
  kRefused,    // the options make no sense on this machine; payload: why
};

struct MessageHeader {
  MessageKind kind;
  std::uint32_t number;
  std::uint64_t bytes;  // of the payload
};
static_assert(sizeof(MessageHeader) == 16);

// Longest payload: what several thousand samples take.
inline constexpr std::uint64_t kLongestMessage = std::uint64_t{1} << 28;

}  // namespace prof::metrics
