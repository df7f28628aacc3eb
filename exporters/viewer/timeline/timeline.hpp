// The timeline of one or several reports.
//
//   auto timeline = Timeline::open({{"a.db"}, {"b.db"}});     // a sketch from samples
//   (*timeline)->load();                                      // all events, in the background
//   (*timeline)->snapshot()->tile(row, level, index);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/events/clocks/clock_map.hpp"
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/analysis/path/path_events.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::timeline {

struct OpenReport {
  std::string path;
  std::string name = {};        // name of the report's row; empty: the file's name
  events::ClockMap clock = {};  // puts its times on the common clock
};

struct Options {
  std::optional<std::int64_t> utc_start = {};  // wall clock at the common clock's 0
  std::string message = {};                    // for the user, about the clock; empty: none
  // Which ranges on the GPU have the work of CUDA graphs.
  events::RangeOf range_of = events::RangeOf::kBoth;
  // The critical paths that are shown: those of the reports that are not too large, or one that
  // put_path() will get.
  enum class Paths : std::uint8_t { kNone, kOfReports, kAwaited } paths = Paths::kNone;
};

class Timeline {
 public:
  // Reads small tables completely and large ones in part. Fails if a file is not a report.
  static base::Result<std::unique_ptr<Timeline>> open(const std::vector<OpenReport>& reports,
                                                      const Options& options = {});
  virtual ~Timeline() = default;
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Starts threads that read the rest, each with its own connection. Must be called only once.
  virtual void load(unsigned threads = 2) = 0;
  // Waits until load() has finished. The snapshot has the errors.
  virtual void wait() = 0;
  // Waits until the version is greater than this, for at most this time. Returns the version.
  virtual std::uint64_t wait_for_change(std::uint64_t version, int milliseconds) const = 0;

  virtual std::shared_ptr<const Snapshot> snapshot() const = 0;

  // Shows a critical path in place of the one that the report has had. Must be called only when the
  // snapshot is exact. The path is in the order of time.
  virtual void put_path(std::uint32_t report, const std::vector<path::PathEvent>& path,
                        const std::string& note) = 0;

 protected:
  Timeline() = default;
};

}  // namespace prof::timeline
