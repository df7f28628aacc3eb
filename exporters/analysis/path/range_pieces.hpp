// Divides times of threads by the innermost NVTX range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/nvtx/range_tree.hpp"

namespace prof::path {

class RangePieces {
 public:
  static base::Result<RangePieces> read(const report::ReportReader& reader);

  // Returns the name of the innermost push/pop range: "step", or "domain:step"; "[no range]" if
  // there is none.
  const std::string& name_at(std::int64_t global_tid, std::int64_t time) const;

  // Calls visit(name, length) for each piece of a time. The lengths add up to its length.
  template <class Visit>
  void for_each(std::int64_t global_tid, std::int64_t start, std::int64_t end, Visit visit) const {
    const Pieces* pieces = pieces_of(global_tid);
    while (start < end) {
      const std::size_t place = pieces == nullptr ? 0 : place_of(*pieces, start);
      const bool is_last = pieces == nullptr || place == pieces->starts.size();
      const std::int64_t until = is_last ? end : std::min(end, pieces->starts[place]);
      visit(name_before(pieces, place), until - start);
      start = until;
    }
  }

 private:
  // The times of a thread at which the innermost range changes, and the names from then on.
  struct Pieces {
    std::vector<std::int64_t> starts;
    std::vector<std::uint32_t> names;
  };

  const Pieces* pieces_of(std::int64_t global_tid) const;
  // Returns the first piece that begins after `time`.
  static std::size_t place_of(const Pieces& pieces, std::int64_t time);
  const std::string& name_before(const Pieces* pieces, std::size_t place) const;
  std::uint32_t number(const std::string& name);
  void add_thread(const events::RangeTree& ranges, std::size_t first, std::size_t end);

  std::map<std::int64_t, Pieces> threads_;  // by globalTid
  std::vector<std::string> names_ = {"[no range]"};
  std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace prof::path
