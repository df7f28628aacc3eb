// The blocks of a recording, in the form that they have in its file. docs/wire-format.md describes
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "collector/spool/spool.hpp"

namespace prof::spool {

inline constexpr std::uint32_t kBlockMagic = 0x6b636c62;  // "blck"
enum BlockKind : std::uint32_t {
  kNote = 1,
  kClock = 2,
  kRecords = 3,
  kKernelRecords = 4,
  kStackNodes = 5,
  kMetricSamples = 6
};

struct BlockHeader {
  std::uint32_t magic;
  std::uint32_t kind;
  std::uint64_t bytes;  // size of the payload without the padding to 8
};
static_assert(sizeof(BlockHeader) == 16 && sizeof(PieceHeader) == 24 && sizeof(ClockTriple) == 24);

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) & ~std::uint64_t{7}; }

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return {reinterpret_cast<const std::byte*>(&value), sizeof value};
}

template <class T>
T read_as(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Returns the length of the block at the start of `bytes`, with header and padding, or 0 if it is
// not whole.
inline std::uint64_t block_length(std::span<const std::byte> bytes) {
  const auto block = read_as<BlockHeader>(bytes);
  const std::uint64_t room = bytes.size() - sizeof block;
  const bool whole =
      block.magic == kBlockMagic && block.bytes <= room && padded(block.bytes) <= room;
  return whole ? sizeof block + padded(block.bytes) : 0;
}

struct FoundBlock {
  std::uint32_t kind;
  std::span<const std::byte> payload;
  std::span<const std::byte> block;  // with header and padding; empty if the header is damaged
};
struct BlockWalk {
  std::uint64_t blocks = 0;
  std::uint64_t ignored_bytes = 0;  // bytes that are not part of a block
};

// Visits the blocks of a recording. After damage it searches for the next block: blocks begin at
// multiples of 8 bytes, and a whole block is followed by another or by the end. If a header is
// damaged, its payload ends at the next block.
BlockWalk walk_blocks(std::span<const std::byte> recording,
                      const std::function<void(const FoundBlock&)>& visit);

// True for notes of this type. Quotation marks within a text of the note are escaped, so a text
// cannot look like the type.
inline bool is_note_of(std::string_view type, std::string_view json) {
  const std::string text = "\"type\":\"" + std::string(type) + "\"";
  return json.find(text) != std::string_view::npos;
}
inline bool is_end_note(std::string_view json) { return is_note_of(EndNote::kType, json); }

}  // namespace prof::spool
