// What a recorded program spent its time with in the last seconds.
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
// "kernels", "api", …
const char* word_of(TopKind kind);

struct TopRow {
  std::string name;
  std::uint64_t count = 0;               // calls, or samples; of threads 0
  double share = 0;                      // of the time, or of the samples: 1 is all of it
  double p50 = 0, p99 = 0, longest = 0;  // ns; of samples and threads 0
};

struct TopGpu {
  std::int64_t device = 0;
  double busy = 0;  // share of the time with kernels, copies or memsets
};

struct TopSnapshot {
  double seconds = 0;  // that it covers
  std::array<std::vector<TopRow>, kTopKinds> rows;
  std::vector<TopGpu> gpus;
  bool is_cut = false;     // it covers less, because there was too much
  bool has_ended = false;  // the recording

  const std::vector<TopRow>& of(TopKind kind) const { return rows[static_cast<std::size_t>(kind)]; }
};

enum class TopOrder : std::uint8_t { kTime, kCount, kP50, kP99, kLongest, kName };
// Keeps rows whose name contains `filter`, in this order, largest first.
std::vector<TopRow> selected(std::vector<TopRow> rows, TopOrder order, const std::string& filter);

// Takes snapshots of a recording.
class TopSource {
 public:
  // `seconds`: that a snapshot covers at most.
  TopSource(const LiveRecording& recording, double seconds);

  TopSnapshot take();

 private:
  void read_recording(TopSnapshot& snapshot);
  void read_flight(TopSnapshot& snapshot);
  void read_report(const spool::Spool& spool, TopSnapshot& snapshot);
  void read_threads(const std::vector<std::int64_t>& processes, TopSnapshot& snapshot);

  double seconds_;
  std::uint64_t begin_;  // when it began to read
  spool::RecentRecording recording_;
  std::optional<spool::FlightNote> flight_;  // a flight recorder, which has its events elsewhere
  base::PrivateFolder folder_ = make_live_folder();
  // Seconds on a CPU by "pid tid name", and when they were read.
  std::map<std::string, double> cpu_before_;
  std::uint64_t cpu_time_ = 0;
};

// The rows of a report that covers `seconds`.
void read_top_rows(const report::ReportReader& reader, double seconds, TopSnapshot& snapshot);

}  // namespace prof::cli
