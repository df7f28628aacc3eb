// Shows where a recorded program spent its time in the last seconds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/sessions/live_recordings.hpp"
#include "collector/spool/notes.hpp"
#include "collector/spool/recent_recording.hpp"
#include "common/report/report_reader.hpp"

namespace prof::cli {

enum class TopKind : std::uint8_t { kKernels, kApi, kRanges, kOs, kPython, kThreads };
inline constexpr std::size_t kTopKinds = 6;
// Returns the word of a kind: "kernels", "api", …
const char* word_of(TopKind kind);

struct TopRow {
  std::string name;
  std::uint64_t count = 0;               // of calls or samples; 0 for threads
  double share = 0;                      // of the time or of the samples; 1: all
  double p50 = 0, p99 = 0, longest = 0;  // ns; 0 for samples and threads
};

struct TopGpu {
  std::int64_t device = 0;
  double busy = 0;  // share of the time with kernels, copies or memsets
};

struct TopSnapshot {
  double seconds = 0;  // the time that the snapshot covers
  std::array<std::vector<TopRow>, kTopKinds> rows;
  std::vector<TopGpu> gpus;
  bool is_cut = false;     // it covers less time than asked for, because there were too many events
  bool has_ended = false;  // the recording has ended

  const std::vector<TopRow>& of(TopKind kind) const { return rows[static_cast<std::size_t>(kind)]; }
};

enum class TopOrder : std::uint8_t { kTime, kCount, kP50, kP99, kLongest, kName };
// Returns the rows whose name contains `filter`, in the order `order`, the largest first.
std::vector<TopRow> selected(std::vector<TopRow> rows, TopOrder order, const std::string& filter);

// Takes snapshots of a recording.
class TopSource {
 public:
  // A snapshot covers at most `seconds`.
  TopSource(const LiveRecording& recording, double seconds);

  TopSnapshot take();

 private:
  void read_recording(TopSnapshot& snapshot);
  void read_flight(TopSnapshot& snapshot);
  void read_report(const spool::Spool& spool, TopSnapshot& snapshot);
  void read_threads(const std::vector<std::int64_t>& processes, TopSnapshot& snapshot);

  double seconds_;
  std::uint64_t begin_;  // when this object began to read
  spool::RecentRecording recording_;
  std::optional<spool::FlightNote> flight_;  // set for a flight recorder: its events are elsewhere
  base::PrivateFolder folder_ = make_live_folder();
  // The seconds on a CPU for each "pid tid name", and when they were read.
  std::map<std::string, double> cpu_before_;
  std::uint64_t cpu_time_ = 0;
};

// Reads the rows of a report that covers `seconds`.
void read_top_rows(const report::ReportReader& reader, double seconds, TopSnapshot& snapshot);

}  // namespace prof::cli
