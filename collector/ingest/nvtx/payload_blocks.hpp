// Collects the bytes of payloads from a thread's records until the event comes that they belong to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/nvtx_records.hpp"

namespace prof::ingest {

// A payload, or memory that a payload points to.
struct PayloadBlock {
  std::uint64_t schema;
  std::uint64_t address;
  std::uint8_t flags;  // wire::kNvtxPayload*
  std::string bytes;

  bool is_payload() const { return (flags & wire::kNvtxPayloadMemory) == 0; }
};
using PayloadBlocks = std::vector<PayloadBlock>;  // in the order of the payloads

class PayloadPieces {
 public:
  void begin_thread() { blocks_.clear(); }
  void add(const wire::NvtxPayloadRecord& record, std::span<const std::byte> bytes);

  // Removes and returns the blocks of an event. Blocks whose event was dropped are discarded.
  PayloadBlocks take(std::uint64_t token);

 private:
  std::uint64_t token_ = 0;
  PayloadBlocks blocks_;
};

// Returns the bytes for NVTX_EVENTS.binaryData: for each block its schema, size and address, 8
// bytes each, and its bytes, padded with zeros to a multiple of 8.
std::string binary_of(const PayloadBlocks& blocks);

}  // namespace prof::ingest
