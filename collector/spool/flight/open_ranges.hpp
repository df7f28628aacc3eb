// NVTX ranges that began in records which a flight recorder no longer keeps, and have not ended in
// them. Their begins are kept, so that a range that lasts longer than what is kept is not lost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/spool/spool.hpp"
#include "common/wire/records.hpp"

namespace prof::spool {

class OpenRanges {
 public:
  // The records of a segment, in any order. They are not trusted.
  void fold(std::span<const Piece> pieces);
  // The process image has ended.
  void forget(std::uint32_t serial);

  using Sink = std::function<void(const PieceHeader&, std::span<const std::byte>)>;
  void for_each(const Sink& sink) const;

  std::size_t bytes() const { return records_ * sizeof(Record); }

 private:
  // A begin, which has at most this size.
  struct Record {
    std::array<std::byte, sizeof(wire::NvtxEventRecord)> bytes;
    std::size_t size;
    std::span<const std::byte> content() const { return std::span(bytes).first(size); }
  };
  struct Started {
    std::uint32_t tid;
    Record record;
  };
  using Thread = std::pair<std::uint32_t, std::uint32_t>;  // serial, tid
  struct Stack {
    std::uint32_t domain;
    std::vector<Record> records;
    std::uint64_t deeper = 0;  // ranges inside of these, too many to be kept
  };
  using Stacks = std::vector<Stack>;  // of a thread, few
  using Ids = std::unordered_map<std::uint64_t, Started>;
  struct Ended {
    std::uint32_t serial;
    std::uint64_t id;
  };

  void fold(const Thread& thread, std::span<const std::byte> bytes, std::vector<Ended>& ended);
  static Record copy_of(std::span<const std::byte> record);
  static Stack& stack_of(Stacks& stacks, std::uint32_t domain);
  void push(Stacks& stacks, std::uint32_t domain, std::span<const std::byte> record);
  void pop(Stacks& stacks, std::uint32_t domain);
  void start(const Thread& thread, std::uint64_t id, std::span<const std::byte> record);
  void end(const std::vector<Ended>& ended);
  void clear(Stacks& stacks);

  std::map<Thread, Stacks> threads_;      // with an open range
  std::map<std::uint32_t, Ids> started_;  // by process image
  // A range can end in another thread, whose records may have been taken earlier.
  std::vector<Ended> early_;
  std::size_t records_ = 0;
};

}  // namespace prof::spool
