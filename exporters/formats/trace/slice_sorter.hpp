// Sorts events with a start and an end by time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::formats {

struct Slice {
  std::int64_t start;  // ns
  std::int64_t end;
  std::uint32_t row;      // number of the row that shows the slice
  std::uint32_t name;     // number in SliceNames
  std::int64_t detail;    // value for the reader of the table: a correlation id, bytes, …
  std::uint32_t details;  // the number of further details, or 0
};

inline bool shown_before(const Slice& a, const Slice& b) {
  return a.start != b.start ? a.start < b.start : a.end > b.end;
}

// Sorts any number of slices by shown_before(). Equal slices keep the order of add(). Memory holds
// kInMemory slices; beyond that, sorted runs are in an unnamed file in the folder of temporary
// files. If the file cannot be written, everything stays in memory.
class SliceSorter {
 public:
  static constexpr std::size_t kInMemory = 1 << 20;  // 40 MiB

  explicit SliceSorter(std::size_t in_memory = kInMemory) : in_memory_(in_memory) {}

  void add(const Slice& slice) {
    if (slices_.size() >= in_memory_ && can_write_) write_run();
    is_sorted_ = is_sorted_ && (slices_.empty() || !shown_before(slice, slices_.back()));
    slices_.push_back(slice);
  }

  // Calls `visit(slice)` for each slice. Must be called only once.
  template <class Visit>
  base::Status visit_all(Visit visit) {
    sort();
    if (!runs_.empty()) return merge(visit);
    for (const Slice& slice : slices_) visit(slice);
    return {};
  }

 private:
  // A run of sorted slices in the file, from `place` on. `slices` holds a part of the run; those
  // before `next` were already visited.
  struct Run {
    std::size_t place;
    std::size_t unread;
    std::vector<Slice> slices = {};
    std::size_t next = 0;

    const Slice& first() const { return slices[next]; }
  };

  void sort() {
    if (!is_sorted_) std::stable_sort(slices_.begin(), slices_.end(), shown_before);
    is_sorted_ = true;
  }
  void write_run();
  base::Status merge(const std::function<void(const Slice&)>& visit);
  base::Result<bool> advance(Run& run) const;

  std::size_t in_memory_;
  std::vector<Slice> slices_;
  bool is_sorted_ = true;
  bool can_write_ = true;
  base::UniqueFd file_;
  std::size_t written_ = 0;  // number of slices in the file
  std::vector<Run> runs_;    // in the order of add()
};

}  // namespace prof::formats
