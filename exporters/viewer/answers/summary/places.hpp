// Finds the places on the timeline that other parts of prof know by time and ids.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/viewer/answers/outcome.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::view {

class Places {
 public:
  Places(const timeline::Snapshot& snapshot, std::uint32_t report)
      : snapshot_(snapshot), report_(report) {}

  struct Place {
    timeline::Span span;  // on the common clock
    timeline::RowId row = timeline::kNoRow;
    std::optional<timeline::Event> event;
  };
  Place of(const analyze::Where& where) const;
  static Place of(const timeline::Event& event) {
    return {{event.start, event.end}, event.row, event};
  }

  std::optional<timeline::Event> event_of(std::string_view table, std::int64_t rowid) const {
    return snapshot_.event_of(report_, table, rowid);
  }

  // Returns the row of a GPU in one process, or kNoRow.
  timeline::RowId row_of(const insight::Device& device) const;

  // Returns the longest event of each name in the rows of this kind. If several names differ only
  // in numbers, the name without numbers is in the result, too: "step #".
  std::map<std::string, timeline::Event, std::less<>> longest_by_name(timeline::RowKind kind) const;

  // Adds {"from", "to", "row", "source", "id"}; row, source and id are null if they are unknown.
  static void add(Json& json, const Place& place);

 private:
  std::int64_t common(std::int64_t time) const;
  std::optional<timeline::Event> event_at(timeline::RowId above, const timeline::Span& span) const;
  timeline::RowId row_of_thread(std::int64_t thread) const;
  timeline::RowId row_of_stream(const insight::Device& device, std::int64_t stream) const;

  const timeline::Snapshot& snapshot_;
  std::uint32_t report_;
};

}  // namespace prof::view
