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
#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/viewer/timeline/snapshot.hpp"

namespace prof::timeline {

struct OpenReport {
  std::string path;
  std::string name = {};  // name of the report's row; empty: the file's name
  // ns, added to the report's times. If it is missing, the wall clock determines the offset.
  std::optional<std::int64_t> offset = {};
};

// The way in which several reports share a clock.
enum class Alignment {
  // By the time at which they were recorded. All begin at 0 if that is unknown or they were not
  // recorded at the same time.
  kWallClock,
  kStart,  // all begin at 0: for before and after
};

struct Options {
  Alignment alignment = Alignment::kWallClock;
  // All reports are aligned at the start of the first range with this name, which each must have.
  std::string range = {};
  // Which ranges on the GPU have the work of CUDA graphs.
  events::RangeOf range_of = events::RangeOf::kBoth;
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

 protected:
  Timeline() = default;
};

}  // namespace prof::timeline
