#include <bit>

#include "collector/spool/blocks.hpp"

namespace prof::spool {

namespace {

using Bytes = std::span<const std::byte>;

bool has_magic(Bytes bytes) {
  return bytes.size() >= sizeof kBlockMagic && read_as<std::uint32_t>(bytes) == kBlockMagic;
}

// True if another block follows, or the end.
bool is_followed(Bytes rest) { return rest.size() < sizeof kBlockMagic || has_magic(rest); }

// Returns where the next block begins in the first `most` bytes, the first 8 excluded; 0: nowhere.
std::uint64_t find_block(Bytes bytes, std::uint64_t most) {
  for (std::uint64_t at = 8; at < most && at + sizeof(BlockHeader) <= bytes.size(); at += 8) {
    const Bytes rest = bytes.subspan(at);
    if (!has_magic(rest)) continue;
    if (const std::uint64_t length = block_length(rest); length != 0)
      if (is_followed(rest.subspan(length))) return at;
  }
  return 0;
}

class Walker {
 public:
  explicit Walker(const std::function<void(const FoundBlock&)>& visit) : visit_(visit) {}

  BlockWalk walk(Bytes rest) {
    while (rest.size() >= sizeof(BlockHeader)) rest = rest.subspan(step(rest));
    walk_.ignored_bytes += rest.size();
    return walk_;
  }
  void begins_with_a_block() { is_sure_ = true; }

 private:
  // Returns how many bytes it has processed.
  std::uint64_t step(Bytes rest) {
    const std::uint64_t length = block_length(rest);
    if (length != 0 && is_followed(rest.subspan(length))) return take(rest, length);
    if (is_sure_ && has_plausible_kind(rest)) {
      const std::uint64_t next = find_block(rest, rest.size());
      const auto bytes = read_as<BlockHeader>(rest).bytes;
      if (next >= sizeof(BlockHeader) &&
          (length == 0 || next < length || is_one_bit_off(bytes, next)))
        return take_damaged(rest, next);
      if (length != 0) return take(rest, length);  // the next block is the damaged one
    }
    is_sure_ = false;
    walk_.ignored_bytes += 8;
    return 8;
  }

  static bool has_plausible_kind(Bytes rest) {
    const auto kind = read_as<BlockHeader>(rest).kind;
    return kind >= kNote && kind <= kMetricSamples;
  }

  // True if a single wrong bit can be the reason why the block does not end where the next one
  // begins.
  static bool is_one_bit_off(std::uint64_t bytes, std::uint64_t next) {
    const std::uint64_t room = next - sizeof(BlockHeader);
    for (std::uint64_t padding = 0; padding < 8 && padding <= room; ++padding)
      if (std::popcount(bytes ^ (room - padding)) == 1) return true;
    return false;
  }

  std::uint64_t take(Bytes rest, std::uint64_t length) {
    const auto block = read_as<BlockHeader>(rest);
    visit_({block.kind, rest.subspan(sizeof block, block.bytes), rest.first(length)});
    ++walk_.blocks;
    is_sure_ = true;
    return length;
  }

  // Visits a block whose magic number or length is wrong.
  std::uint64_t take_damaged(Bytes rest, std::uint64_t length) {
    const auto block = read_as<BlockHeader>(rest);
    Bytes payload = rest.subspan(sizeof block, length - sizeof block);
    const bool fits = block.bytes <= payload.size() && padded(block.bytes) == payload.size();
    if (fits) payload = payload.first(block.bytes);
    // Removes the padding, which JSON does not allow.
    while (block.kind == kNote && !payload.empty() && payload.back() == std::byte{0})
      payload = payload.first(payload.size() - 1);
    visit_({block.kind, payload, {}});
    ++walk_.blocks;
    walk_.ignored_bytes += sizeof block;
    return length;
  }

  const std::function<void(const FoundBlock&)>& visit_;
  BlockWalk walk_;
  bool is_sure_ = false;  // true: a block begins here
};

}  // namespace

BlockWalk walk_blocks(Bytes recording, const std::function<void(const FoundBlock&)>& visit) {
  Walker walker(visit);
  if (!Spool::is_recording(recording)) return walker.walk(recording);
  walker.begins_with_a_block();
  return walker.walk(recording.subspan(sizeof kSpoolMagic));
}

}  // namespace prof::spool
