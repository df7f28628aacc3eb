// What is known of the reports at one moment: rows, and tiles and events of each. Does not change,
// and may be used by several threads.
//
// Times that come in and go out are on the common clock of all reports.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/events/clocks/clock_map.hpp"
#include "exporters/viewer/timeline/names.hpp"
#include "exporters/viewer/timeline/rows.hpp"

namespace prof::timeline {

struct RowData;
class Links;

struct Span {
  std::int64_t start = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

struct Event {
  RowId row = kNoRow;
  std::uint32_t lane = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;  // if `open_end` is set, the end of the session
  std::uint32_t name = Names::kUnknown;
  std::uint8_t source = 0;  // index in Row::tables
  std::uint32_t id = 0;     // identifies the event together with `row` and `source`
  std::int64_t rowid = 0;   // in the table; almost always equal to `id`
  bool open_end = false;
  bool instant = false;
  bool has_links = false;
  bool on_path = false;  // on the critical path that its report shows

  std::int64_t duration() const { return end - start; }
};

struct ReportEntry {
  std::string path;
  std::string name;        // file name without its extension
  std::string id;          // id of the session, or an id made from the file's identity
  events::ClockMap clock;  // puts the report's times on the common clock
  std::optional<std::int64_t> utc_start;  // wall clock at the report's time 0, ns since 1970
  Span span;                              // on the common clock
  RowId row = kNoRow;                     // row of the report if there are several reports
};

// A set of name numbers.
class NameSet {
 public:
  void add(std::uint32_t number) {
    if (number >= words_.size() * 64) words_.resize(number / 64 + 1);
    words_[number / 64] |= std::uint64_t{1} << number % 64;
  }
  bool has(std::uint32_t number) const {
    return number / 64 < words_.size() && (words_[number / 64] >> number % 64 & 1) != 0;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// A page of find().
struct Hits {
  std::vector<Event> events;         // sorted by start
  std::uint64_t total = 0;           // number of hits on all pages
  std::optional<std::int64_t> next;  // `after` for the next page
};

class Snapshot {
 public:
  std::uint64_t version() const { return version_; }
  bool exact() const { return exact_; }  // true if no row shows a sample
  // True if a critical path will be shown that is not known yet.
  bool awaits_path() const { return awaits_path_; }
  double progress() const { return progress_; }  // progress of loading, 0 to 1
  Span span() const { return span_; }
  // Returns the wall clock at the common clock's 0, in ns since 1970, or nothing if reports of
  // different times are aligned.
  std::optional<std::int64_t> utc_start() const { return utc_start_; }
  const std::vector<ReportEntry>& reports() const { return reports_; }
  // Messages for the user about what was left out or could not be read.
  const std::vector<std::string>& messages() const { return messages_; }
  // True if a report was deleted, truncated or damaged. The snapshot has what was read before.
  bool failed() const { return failed_; }

  // The rows in display order, parents before their children.
  const std::vector<Row>& rows() const { return rows_; }
  const Row* row(RowId id) const;  // null if there is no such row
  // Returns the row and all rows below it, in display order.
  std::vector<RowId> with_rows_below(RowId id) const;

  const Names& names() const { return *names_; }

  // Returns a tile of docs/viewer-protocol.md, or an empty text if the row does not exist, or level
  // or index are impossible.
  static constexpr int kMaxLevel = 50;
  std::string tile(RowId row, int level, std::int64_t index) const;

  // Returns the rows that have events in the span, and the rows above them, in display order. A
  // curve has some if it has a sample there; of queue lengths and thread states, if their siblings
  // have.
  std::vector<RowId> used_rows(Span span) const;

  // Visits the events of a row that overlap the span, lane after lane, each lane by start. Counters
  // and groups have no events. Stops when `visit` returns false.
  using Visit = std::function<bool(const Event&)>;
  void visit(RowId row, Span span, const Visit& visit) const;
  // Visits the events of a row and of all rows below it, row after row.
  void visit_all(RowId row, Span span, const Visit& visit) const;

  std::optional<Event> event(RowId row, std::uint8_t source, std::uint32_t id) const;
  // Returns the event that shows a table's row. If several do, returns the first in
  // display order. Rows that show events of other rows again do not count.
  std::optional<Event> event_of(std::uint32_t report, std::string_view table,
                                std::int64_t rowid) const;
  // Return the nearest event of the row with the same name that starts before or after this event.
  std::optional<Event> same_name_before(const Event& event) const;
  std::optional<Event> same_name_after(const Event& event) const;

  // Finds events whose names are in the set, in the order of time. If `rows` is not empty, only
  // these rows and the rows below them are searched. Otherwise rows that show events of
  // other rows again are left out: ranges on the GPU, what the CPUs ran, and the critical path.
  // Only events that start after `after` are found. A page has at least `limit` events if there are
  // as many, and all events that start at the same time as its last one.
  Hits find(const NameSet& names, const std::vector<RowId>& rows, std::int64_t after,
            std::size_t limit) const;

  // Returns a CUDA call and its work on the GPU. `process` is the globalPid, or the globalTid of
  // any of its threads.
  struct Linked {
    std::vector<Event> calls;
    std::vector<Event> work;  // on the GPU: kernels, copies, fills, graphs
    std::uint64_t more = 0;   // number of pieces of work beyond `most`, which were left out
  };
  Linked linked(std::uint32_t report, std::int64_t process, std::uint32_t correlation,
                std::size_t most = 100) const;
  // Returns the linked events of a call or of a piece of work. Nothing for other events.
  Linked linked(const Event& event, std::size_t most = 100) const;

 private:
  friend class SnapshotBuilder;

  const RowData* data(RowId id) const;
  bool is_used(std::size_t index, Span span) const;
  Event event_at(const Row& row, const RowData& data, std::size_t index) const;
  Event event_at(const Row& row, const RowData& data, std::uint32_t lane, std::size_t index) const;
  std::optional<std::size_t> index_of(const Event& event) const;
  std::optional<Event> same_name(const Event& event, bool after) const;

  std::uint64_t version_ = 0;
  bool exact_ = false;
  bool awaits_path_ = false;
  bool failed_ = false;
  double progress_ = 0;
  Span span_;
  std::optional<std::int64_t> utc_start_;
  std::vector<ReportEntry> reports_;
  std::vector<std::string> messages_;
  std::vector<Row> rows_;
  std::vector<std::shared_ptr<const RowData>> data_;  // data of each row; null: none
  std::unordered_map<RowId, std::size_t> indices_;    // index in rows_
  std::shared_ptr<const Names> names_;
  std::vector<std::shared_ptr<const Links>>
      links_;  // links of each report; null until it is loaded
};

}  // namespace prof::timeline
