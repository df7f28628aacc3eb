// Collects the rows that loading has finished, and makes snapshots of them. May be used by several
// threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exporters/viewer/timeline/columns/links.hpp"
#include "exporters/viewer/timeline/derived/derived_rows.hpp"
#include "exporters/viewer/timeline/derived/path_row.hpp"
#include "exporters/viewer/timeline/layers/layers.hpp"
#include "exporters/viewer/timeline/loading/row_tree.hpp"
#include "exporters/viewer/timeline/loading/scan.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::timeline {

// A row of a layer.
struct LoadedRow {
  RowKey key;
  std::shared_ptr<const EventLanes> events;
  std::vector<std::uint32_t> correlations;
};

// All rows of a layer.
struct LoadedLayer {
  const Layer* layer = nullptr;
  std::vector<LoadedRow> rows;
  Domains domains;
  std::shared_ptr<const std::vector<IdMap>> ids;  // null: ids are rowids
  double share_read = 1;                          // share of the events; 1: all events
};

class SnapshotBuilder {
 public:
  SnapshotBuilder() : names_(std::make_shared<Names>()) {}

  Names& names() { return *names_; }
  void add_report(ReportEntry entry, std::shared_ptr<const Facts> facts, bool several);

  void put(std::uint32_t report, LoadedLayer layer);
  void put(std::vector<DerivedRow> rows);
  // Replaces the critical path of a report. `note` says what it is the path of.
  void put(std::uint32_t report, PathRow path, const std::string& note);
  void put_density(RowId row, std::shared_ptr<const Density> density);
  void change(const std::function<void(RowTree&)>& change);
  // Finishes the links of a report.
  std::shared_ptr<const Links> put_links(std::uint32_t report);

  void set_awaits_path(bool awaits) { awaits_path_ = awaits; }
  void set_utc_start(std::optional<std::int64_t> start) { utc_start_ = start; }
  // Adds a message for the user. Equal messages are kept once.
  void message(std::string text);
  void fail(const std::string& text);
  // Count the rows of tables that have to be read, and the rows that were read.
  void expect(double rows);
  void has_read(double rows);
  void set_exact();
  void publish();

  std::shared_ptr<const Snapshot> snapshot() const;
  std::uint64_t wait_for_change(std::uint64_t version, int milliseconds) const;

 private:
  RowId put_row(std::uint32_t report, const LoadedLayer& layer, LoadedRow row);
  Span span_of(std::uint32_t report) const;
  std::shared_ptr<Snapshot> make() const;

  mutable std::mutex mutex_;
  // Protects the last snapshot. It is locked only briefly, so requests do not wait for loading.
  mutable std::mutex snapshot_mutex_;
  mutable std::condition_variable changed_;
  std::shared_ptr<Names> names_;
  RowTree tree_;
  std::map<const Layer*, std::set<RowId>> sketched_;  // rows that put() made from samples
  std::vector<ReportEntry> reports_;
  std::vector<std::shared_ptr<const Facts>> facts_;
  std::vector<std::shared_ptr<Links>> open_links_;   // links that are not complete
  std::vector<std::shared_ptr<const Links>> links_;  // complete links
  std::vector<std::string> messages_;
  std::optional<std::int64_t> utc_start_;
  bool failed_ = false;
  bool exact_ = false;
  std::atomic<bool> awaits_path_ = false;
  double expected_ = 0;
  double read_ = 0;
  std::uint64_t version_ = 0;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace prof::timeline
