#include "collector/ingest/nvtx/payload_blocks.hpp"

#include <cstring>
#include <utility>

namespace prof::ingest {

namespace {
// Limit for an event, because a damaged spool can claim any size.
constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;
}  // namespace

void PayloadPieces::add(const wire::NvtxPayloadRecord& record, std::span<const std::byte> bytes) {
  if (record.token != token_) {
    blocks_.clear();
    token_ = record.token;
  }
  const auto* data = reinterpret_cast<const char*>(bytes.data());
  if ((record.header.flags & wire::kNvtxPayloadFollows) != 0) {
    if (blocks_.empty()) return;
    PayloadBlock& block = blocks_.back();
    // If this piece does not follow the one before, a piece between them was dropped.
    if (block.address + block.bytes.size() == record.address && block.bytes.size() < kMaxBytes)
      block.bytes.append(data, bytes.size());
    else
      block.flags |= wire::kNvtxPayloadMissing;
    return;
  }
  blocks_.push_back(
      {record.schema, record.address, record.header.flags, std::string(data, bytes.size())});
}

PayloadBlocks PayloadPieces::take(std::uint64_t token) {
  if (token != token_ || token == 0) return {};
  return std::exchange(blocks_, {});
}

std::string binary_of(const PayloadBlocks& blocks) {
  std::string binary;
  const auto add = [&](std::uint64_t value) {
    binary.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const PayloadBlock& block : blocks) {
    add(block.schema);
    add(block.bytes.size());
    add(block.address);
    binary += block.bytes;
    binary.append(wire::padded(static_cast<std::uint32_t>(block.bytes.size())) - block.bytes.size(),
                  '\0');
  }
  return binary;
}

}  // namespace prof::ingest
