// Holds the tree of rows and determines their order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "exporters/viewer/timeline/columns/row_data.hpp"
#include "exporters/viewer/timeline/layers/layers.hpp"
#include "exporters/viewer/timeline/loading/facts.hpp"
#include "exporters/viewer/timeline/rows.hpp"

namespace prof::timeline {

class RowTree {
 public:
  // Adds a report. If there are `several`, the rows of each report are below a row of the report.
  void add_report(const std::string& name, std::shared_ptr<const Facts> facts, bool several);

  // Returns the row of a layer for a key. New rows, and the rows above them, are made.
  RowId row_of(std::uint32_t report, const Layer& layer, const RowKey& key);
  // Returns a row below another, such as one curve of a GPU.
  RowId row_below(RowId parent, RowKind kind, RowStyle style, const std::string& name,
                  std::int64_t number = 0);

  RowId process(std::uint32_t report, std::int64_t global_id);
  RowId thread(std::uint32_t report, std::int64_t global_tid);
  RowId gpu(std::uint32_t report, std::int64_t global_pid, std::int64_t device);
  RowId gpu_by_id(std::uint32_t report, std::int64_t id);
  // Returns the row for the use of CPUs, which has a row for each CPU below it.
  RowId cpus(std::uint32_t report);
  RowId context(std::uint32_t report, std::int64_t global_pid, std::int64_t device,
                std::int64_t context);
  RowId stream(std::uint32_t report, const RowKey& key);
  RowId report_row(std::uint32_t report) const { return reports_[report].row; }
  // Returns the row for events that belong to no process and no GPU.
  RowId others(std::uint32_t report);

  // Makes a row that stands for rows with the same parent. These are listed below it, in this
  // order.
  RowId fold(RowKind kind, const std::string& name, std::vector<RowId> rows);
  // Lists the rows of all folds of a report below their parents again.
  void unfold(std::uint32_t report);
  bool is_fold(RowId id) const { return at(id).is_fold; }

  void set_domains(std::uint32_t report, const Domains& domains);

  struct Node {
    Row row;
    std::int64_t number = 0;  // orders rows of the same kind
    std::vector<RowId> children;
    bool is_fold = false;
    RowId listed_below = kNoRow;  // the fold; kNoRow: the parent
    RowData data;
  };
  Node& at(RowId id) { return *nodes_[id]; }
  const Node& at(RowId id) const { return *nodes_[id]; }
  std::size_t size() const { return nodes_.size(); }

  // All rows with events, and the rows above them, in display order.
  struct Shown {
    RowId id;
    RowId parent;
    std::uint64_t events;  // including the rows below it
    bool exact;            // true if all rows below it are exact, too
  };
  std::vector<Shown> in_order() const;

 private:
  struct Report {
    std::string name;
    std::shared_ptr<const Facts> facts;
    Domains domains;
    RowId row = kNoRow;
  };
  using Ids = std::tuple<std::uint32_t, RowId, RowKind, std::int64_t, std::string>;

  RowId gpu_row(std::uint32_t report, const Gpu* gpu, std::int64_t number,
                const std::string& process);
  // Returns the row with these ids below a parent. `make(Row&)` completes a new row.
  template <class Make>
  RowId row(std::uint32_t report, RowId parent, RowKind kind, std::int64_t number,
            const std::string& name, Make make);
  void name_domain(Row& row, std::uint32_t report, const RowKey& key) const;
  struct Activity;
  std::vector<Activity> activities() const;
  std::vector<RowId> sorted_children(RowId id, const std::vector<Activity>& all) const;
  void list(RowId id, const std::vector<Activity>& all, std::vector<Shown>& order) const;

  std::vector<Report> reports_;
  std::vector<std::unique_ptr<Node>> nodes_ = root();
  static std::vector<std::unique_ptr<Node>> root();
  std::map<Ids, RowId> ids_;
};

}  // namespace prof::timeline
