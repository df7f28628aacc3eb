// NVTX ranges with what each is nested in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/range_names.hpp"

namespace prof::events {

class RangeTree {
 public:
  static constexpr std::int32_t kNone = -1;

  struct Range {
    std::int64_t id;  // of NvtxRange
    std::int64_t type;
    std::int64_t start;
    std::int64_t end;
    std::int64_t global_tid;
    std::int32_t name;            // a number of RangeNames; see name_of()
    std::int32_t parent = kNone;  // index of the innermost push/pop range around a push/pop range
    std::int32_t level = 0;       // how many ranges it is in

    std::int64_t duration() const { return end - start; }
  };

  // Push/pop ranges, and the start/end ranges that stay on one thread: those are in none.
  static base::Result<RangeTree> read(const report::ReportReader& reader);

  // By thread; of a thread by their start, outer ranges before those in them.
  const std::vector<Range>& ranges() const { return ranges_; }
  const Range& at(std::int32_t index) const { return ranges_[static_cast<std::size_t>(index)]; }
  const std::string& name_at(std::int32_t name) const { return names_.text(name); }
  const std::string& name_of(const Range& range) const { return name_at(range.name); }
  // The innermost push/pop range of the thread at that time, or kNone.
  std::int32_t innermost(std::int64_t global_tid, std::int64_t time) const;
  // ":4:7": the ids from the outermost range to this one.
  std::string stack_of(const Range& range) const;
  // The parent's id; none for a range in none.
  std::optional<std::int64_t> parent_id(const Range& range) const;

 private:
  explicit RangeTree(const report::ReportReader& reader) : names_(reader) {}

  void nest();

  std::vector<Range> ranges_;
  RangeNames names_;
};

}  // namespace prof::events
