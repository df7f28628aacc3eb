// Writes PROF_PC_SAMPLES and PROF_PC_LOSSES: what GPUs executed, and how many samples have no row.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/cuda_records.hpp"

namespace prof::ingest {

struct PcSampleStats {
  std::uint64_t samples = 0;  // all, with the following
  std::uint64_t dropped = 0;  // by the GPU
  std::uint64_t unrecorded = 0;
  std::uint64_t times_full = 0;
};

class PcSamples {
 public:
  PcSamples(const spool::ClockModel& clock, const StringTable& strings,
            const ProcessTable& processes, report::ReportWriter& writer);

  // Only slices of which most is from 0 to `length` have rows.
  void set_window(std::int64_t length) { window_ = length; }

  // The records of one thread, in order.
  void begin_thread(std::uint32_t serial);
  // `stalls`: wire::CudaPcStall items.
  void sample(const wire::CudaPcSampleRecord& record, std::span<const std::byte> stalls);
  void slice(const wire::CudaPcSliceRecord& record);
  // Writes the remaining rows, after the last thread.
  void finish() { write_groups(); }

  const PcSampleStats& stats() const { return stats_; }

 private:
  struct Key {
    std::uint64_t cubin;
    std::uint64_t function;
    std::uint64_t offset;
    std::uint64_t reason;
    auto operator<=>(const Key&) const = default;
  };
  struct Counts {
    std::int64_t samples = 0;
    std::int64_t not_issued = 0;
  };
  struct Sample {
    Key key;
    Counts counts;
  };
  // Slices of a context that become one.
  struct Group {
    explicit Group(std::pmr::memory_resource* memory) : counts(memory) {}
    report::PcLossRow row{};
    std::pmr::map<Key, Counts> counts;
  };

  void add(Group& group, const wire::CudaPcSliceRecord& record);
  void write(const Group& group);
  void write_groups();
  std::int32_t string_id(std::uint64_t hash);

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  const ProcessTable& processes_;
  report::ReportWriter& writer_;
  const std::uint64_t shortest_;  // time of a group, ns
  std::optional<std::int64_t> window_;
  PcSampleStats stats_;
  std::int64_t global_pid_ = 0;
  std::pmr::vector<Sample> pending_;            // of the slice that comes next
  std::pmr::map<std::uint32_t, Group> groups_;  // by context
  std::pmr::unordered_map<std::uint64_t, std::int32_t> string_ids_;
};

}  // namespace prof::ingest
