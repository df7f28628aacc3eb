// Maps the ids of events to rowids.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace prof::timeline {

// A range of rowids. Both limits are included.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = -1;
  std::int64_t size() const;  // upper limit of the number of rows; saturated
};

// Maps ids to rowids. An id is the rowid, unless rowids of the table need more than 32 bits.
class IdMap {
 public:
  // `parts` is the number of scans that read the table at the same time.
  IdMap(RowRange all, std::size_t parts);

  std::uint32_t id(std::int64_t rowid,
                   std::size_t part);  // may be called only by the scan of this part
  // Returns another id of a row, for an event that shows the row once more. Must be called after
  // the scans.
  std::uint32_t copy_of(std::int64_t rowid);
  std::int64_t rowid(std::uint32_t id) const;
  std::optional<std::uint32_t> find(std::int64_t rowid) const;

 private:
  std::int64_t base_ = 0;
  std::vector<std::vector<std::int64_t>> listed_;  // by part; empty: id = rowid - base
  std::vector<std::int64_t> copies_;               // their ids count down from the largest one
};

}  // namespace prof::timeline
