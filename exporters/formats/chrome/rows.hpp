// The rows of a Chrome trace: threads, and streams of GPUs. Slices of a row in that format must be
// nested or disjoint, so other overlapping slices get additional rows.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "exporters/formats/chrome/events.hpp"
#include "exporters/formats/trace/lanes.hpp"
#include "exporters/formats/trace/trace_names.hpp"

namespace prof::formats {

class ChromeRows {
 public:
  ChromeRows(ChromeEvents& events, const TraceNames& names) : events_(events), names_(names) {}

  // Groups of rows: what programs did, and what the system did for them. Rows of GPU work are in
  // neither group.
  enum class Group : std::uint8_t { kProgram, kSystem };

  // Return the number of the rows of a thread in a group, and of a stream.
  std::uint32_t of_thread(std::int64_t global_tid, Group group);
  std::uint32_t of_stream(const GpuStream& stream);

  // Returns the process that has the counters of a device.
  std::int64_t of_counters(const std::string& device);

  // Returns the row for the next slice. The slices of one `number` must come in the order of
  // shown_before().
  ChromeRow place(std::uint32_t number, std::int64_t start, std::int64_t end);
  ChromeRow first_row(std::uint32_t number);

  // Writes the names and the order of all rows.
  void write_names();

 private:
  struct Rows {
    std::int64_t pid;
    std::int64_t first_tid;
    std::string name;
    Lanes lanes;
    std::vector<std::int64_t> tids = {};  // by lane
  };

  std::int64_t new_tid() { return next_tid_++; }
  ChromeRow lane(Rows& rows, std::size_t number);
  void name_process(std::int64_t pid, const std::string& name, const std::string& label,
                    std::int64_t rank);

  static constexpr std::int64_t kFirstExtra = std::int64_t{1} << 24;  // above all tids and pids

  ChromeEvents& events_;
  const TraceNames& names_;
  std::vector<Rows> rows_;
  std::map<std::pair<std::int64_t, Group>, std::uint32_t> threads_;
  std::map<GpuStream, std::uint32_t> streams_;
  std::map<std::int64_t, std::int64_t> programs_;  // by pid: a globalTid
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>>
      gpus_;                                              // by GPU: pid and a globalPid
  std::map<std::string, std::int64_t> counters_;          // by device: pid
  std::set<std::pair<std::int64_t, std::int64_t>> used_;  // pid and tid of each GPU row
  std::int64_t next_tid_ = kFirstExtra;
};

}  // namespace prof::formats
