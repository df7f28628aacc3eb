// NVTX ranges that began in records which a flight recorder no longer keeps, and have not ended in
// them. Their begins are kept, so that a range is complete even if it lasts longer than the kept
// records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <variant>

#include "collector/spool/nvtx_ranges.hpp"
#include "collector/spool/spool.hpp"
#include "common/wire/records.hpp"

namespace prof::spool {

class OpenRanges {
 public:
  // Adds the records of a segment, in any order. They are not trusted.
  void fold(std::span<const Piece> pieces);
  // Forgets a process image that has ended.
  void forget(std::uint32_t serial);

  using Sink = std::function<void(const PieceHeader&, std::span<const std::byte>)>;
  void for_each(const Sink& sink) const;

 private:
  class Visitor;
  using Thread = std::pair<std::uint32_t, std::uint32_t>;  // serial, tid
  using Pushed = std::variant<wire::NvtxPushRecord, wire::NvtxEventRecord>;
  struct Started {
    std::uint32_t tid;
    wire::NvtxEventRecord record;
  };
  struct Ended {};

  std::map<Thread, PushedRanges<Pushed>> threads_;                  // with an open range
  std::map<std::uint32_t, StartedRanges<Started, Ended>> started_;  // by process image
};

}  // namespace prof::spool
