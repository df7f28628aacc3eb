// Reads one report into a SnapshotBuilder.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/analysis/path/path_events.hpp"
#include "exporters/viewer/timeline/loading/snapshot_builder.hpp"
#include "exporters/viewer/timeline/loading/work_queue.hpp"

namespace prof::timeline {

class ReportLoader {
 public:
  // `number` is the number of the report on the builder.
  static base::Result<std::unique_ptr<ReportLoader>> open(const std::string& path,
                                                          std::uint32_t number,
                                                          SnapshotBuilder& builder,
                                                          events::RangeOf range_of);

  const std::shared_ptr<const Facts>& facts() const { return facts_; }

  // Reads small tables completely, and samples of the others. Errors are put on the builder.
  void sketch();
  // Adds tasks that read the rest.
  void load(WorkQueue& queue, unsigned workers);
  // Adds tasks that need all rows.
  void finish(WorkQueue& queue);
  // Adds a task that finds the critical path, which finished() shows, unless the report is too
  // large.
  void find_path(WorkQueue& queue);
  // Shows a critical path. All rows must be there.
  void put_path(const std::vector<path::PathEvent>& path, const std::string& note);
  // Must be called when the tasks of finish() have been carried out.
  void finished();

 private:
  struct Pending;  // a layer while it is read
  struct Connection {
    report::ReportReader reader;
    ScanContext context;
  };

  ReportLoader(std::string path, std::uint32_t number, SnapshotBuilder& builder,
               events::RangeOf range_of)
      : path_(std::move(path)), number_(number), builder_(builder), range_of_(range_of) {}

  base::Status read_derived(const DerivedSource& source, Connection& connection);
  base::Status read_layer(const Layer& layer, std::int64_t rows, bool sample);
  void add_scans(WorkQueue& queue, const Layer& layer, unsigned workers,
                 const report::ReportReader& reader);
  void scan(WorkQueue& queue, const std::shared_ptr<Pending>& pending, std::size_t part,
            unsigned worker);
  void add_layouts(WorkQueue& queue, const std::shared_ptr<Pending>& pending);
  void publish(Pending& pending);
  void add_linked_rows(WorkQueue& queue, const Links& links, unsigned worker);
  Connection* connection(unsigned worker);
  void put_groups_of_sketch();
  void fail(const base::Error& error);
  void note_faulty(const std::string& table, std::int64_t events);
  void note_faulty(const report::ReportReader& reader);

  std::string path_;
  std::uint32_t number_;
  SnapshotBuilder& builder_;
  events::RangeOf range_of_;
  std::shared_ptr<const Facts> facts_;
  std::vector<Layer> layers_;
  std::vector<std::int64_t> layer_rows_;  // upper limit of the rows of each layer
  std::vector<const Layer*> sampled_;     // layers that still have to be read completely
  std::vector<DerivedSource> waiting_;
  std::optional<std::vector<path::PathEvent>> path_found_;
  std::unique_ptr<Connection> first_;                     // used by open() and sketch()
  std::vector<std::unique_ptr<Connection>> connections_;  // used by the workers
};

}  // namespace prof::timeline
