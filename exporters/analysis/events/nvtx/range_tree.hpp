// Reads NVTX ranges and their nesting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/grouped_events.hpp"
#include "exporters/analysis/events/nvtx/range_names.hpp"
#include "exporters/analysis/events/packed_integers.hpp"

namespace prof::events {

class RangeTree {
 public:
  static constexpr std::int32_t kNone = -1;
  // The maximum level. All ranges that are nested deeper have this level. Without a limit, the
  // paths of a program that never ends its ranges, or of a damaged report, would grow forever.
  static constexpr std::size_t kMaxLevels = 512;

  struct Range {
    std::int64_t id;  // equal to NvtxRange::id
    std::int64_t start;
    std::int64_t end;
    std::int64_t global_tid;
    std::int32_t name;            // a number in RangeNames, for name_of()
    std::int32_t parent = kNone;  // index of the innermost range around it
    std::int16_t level = 0;       // number of ranges around it, at most kMaxLevels
    std::uint8_t type = 0;        // kPushPopRange or kStartEndRange

    std::int64_t duration() const { return end - start; }
  };

  // Which kinds of ranges are nested and so have a parent and children.
  enum class Nesting {
    kPushPop,  // push/pop ranges only
    kAll,      // push/pop and start/end ranges, each in the other, as in nsys's projections
  };

  enum class Ranges {
    kRecorded,
    kOfGraphs,  // also those in which graphs were captured while nothing was recorded
  };

  // Reads push/pop ranges, and start/end ranges that begin and end on the same thread.
  static base::Result<RangeTree> read(const report::ReportReader& reader,
                                      Nesting nesting = Nesting::kPushPop,
                                      Ranges ranges = Ranges::kRecorded);

  std::size_t size() const { return ranges_.size(); }
  // The ranges, sorted by thread and start. Outer ranges come before inner ones.
  auto ranges() const { return elements(*this, 0, size()); }
  Range at(std::size_t index) const;
  Range at(std::int32_t index) const { return at(static_cast<std::size_t>(index)); }
  const std::string& name_at(std::int32_t name) const { return names_.text(name); }
  const std::string& name_of(const Range& range) const { return name_at(range.name); }
  std::size_t name_count() const { return names_.size(); }
  // The parent and the name are those of at(), and faster to get.
  std::int32_t parent_of(std::int32_t range) const {
    return static_cast<std::int32_t>(parents_[static_cast<std::size_t>(range)]);
  }
  std::int32_t name_number_of(std::int32_t range) const {
    return static_cast<std::int32_t>(ranges_.value(static_cast<std::size_t>(range), kName));
  }
  // Returns the innermost push/pop range of the thread at that time, or kNone.
  std::int32_t innermost(std::int64_t global_tid, std::int64_t time) const {
    Near near;
    return innermost(global_tid, time, near);
  }
  // What calls for moments near each other have in common: where each thread was.
  struct Near {
    std::size_t thread = 0;           // index of the last thread
    std::vector<std::size_t> places;  // by thread
  };
  // The same. It takes few steps if the moment is soon after the one of the thread's last call with
  // `near`.
  std::int32_t innermost(std::int64_t global_tid, std::int64_t time, Near& near) const;
  // Returns the ids from the outermost range to this one: ":4:7".
  std::string id_path(const Range& range) const;
  // Returns the parent's id if the range has a parent.
  std::optional<std::int64_t> parent_id(const Range& range) const;

 private:
  explicit RangeTree(const report::ReportReader& reader) : names_(reader) {}

  static GroupedEvents no_ranges() { return {kValues, GroupedEvents::Ties::kLongestFirst}; }
  bool limit_open();
  void nest(Nesting nesting);

  // The values of an event of ranges_.
  enum Value : std::size_t { kId, kName, kType, kValues };
  GroupedEvents ranges_ = no_ranges();  // by globalTid
  PackedIntegers parents_;              // by range
  PackedIntegers levels_;
  PackedIntegers push_pops_;                  // the push/pop ranges
  std::vector<std::size_t> first_push_pops_;  // by thread: its first place in push_pops_
  RangeNames names_;
};

}  // namespace prof::events
