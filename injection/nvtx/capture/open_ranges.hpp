// The push/pop ranges that are open on each thread, in two kinds of sessions.
//
// In those that record capture ranges and nodes of CUDA graphs, a graph may be captured before
// recording begins, and then ranges around its nodes are not recorded. This keeps them, and records
// those in which a node was made (core::record_open_ranges()).
//
// Those that profile kernels may select launches by their ranges (core::ranges_around()).
#pragma once

#include <cstdint>

namespace prof::nvtx {

struct OpenedRange {
  std::uint32_t domain;
  std::uint8_t flags;  // wire::kNvtxHasText, wire::kNvtxRegistered
  bool recorded;       // the range is an event of the report
  std::uint64_t start;
  std::uint64_t text;  // string hash
};

// True if this session needs the open ranges.
bool keeps_open_ranges();

// Called when a range of this thread has begun or ended. The thread must not be foreign.
void range_opened(const OpenedRange& range);
void range_closed(std::uint32_t domain, std::uint64_t end);

}  // namespace prof::nvtx
