// How the ids of events lead to rowids.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace prof::timeline {

// Rows of a table by rowid, both included.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = -1;
  std::int64_t size() const;  // at most; saturated
};

// An id is the rowid, unless rowids of the table need more than 32 bits.
class IdMap {
 public:
  // `parts`: scans of one table at the same time.
  IdMap(RowRange all, std::size_t parts);

  std::uint32_t id(std::int64_t rowid, std::size_t part);  // while part `part` scans
  std::int64_t rowid(std::uint32_t id) const;
  std::optional<std::uint32_t> find(std::int64_t rowid) const;

 private:
  std::int64_t base_ = 0;
  std::vector<std::vector<std::int64_t>> listed_;  // by part; empty: id = rowid - base
};

}  // namespace prof::timeline
