// Rows of PROF_NVTX_MEMORY, and a counter of the memory in use for each heap that has regions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collector/ingest/metrics/metric_builder.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "collector/spool/clock_model.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/nvtx_records.hpp"

namespace prof::ingest {

class MemoryRegions {
 public:
  MemoryRegions(const spool::ClockModel& clock, const StringTable& strings,
                const ProcessTable& processes, MetricBuilder& metrics, report::ReportWriter& writer)
      : clock_(clock),
        strings_(strings),
        processes_(processes),
        metrics_(metrics),
        writer_(writer) {}

  // Leaves out regions that ended before time 0 or began after `end`.
  void set_window(std::int64_t end) { window_end_ = end; }

  void add(std::uint32_t serial, std::int64_t global_tid, const wire::NvtxMemoryRecord& record);

  // Writes the rows, after the last thread, because a thread may unregister what another one
  // registered.
  void finish();

 private:
  struct Event {
    std::uint32_t serial;
    std::int64_t global_tid;
    wire::NvtxMemoryRecord record;
  };
  struct Part {  // a heap or a region
    std::int64_t start;
    std::int64_t global_tid;
    wire::NvtxMemoryRecord record;
  };
  using Domain = std::pair<std::uint32_t, std::uint32_t>;  // serial, domain id
  struct Heap {
    std::string name;
    std::int64_t counter = 0;              // GENERIC_EVENT_TYPES.typeId; 0: none yet
    std::int64_t bytes = 0;                // bytes in regions
    std::set<std::uint64_t> regions = {};  // open regions
  };

  void apply(const Event& event);
  void begin_heap(const Event& event);
  void end_heap(const Domain& domain, std::uint64_t heap, std::int64_t time, bool is_reset);
  void begin_region(const Event& event);
  void resize(const Domain& domain, std::uint64_t region, std::int64_t time, std::uint64_t size);
  void end_region(const Domain& domain, std::uint64_t region, std::int64_t time);
  void name(const Domain& domain, std::uint64_t region, const wire::NvtxMemoryRecord& record);
  std::uint64_t region_of(const Domain& domain, const wire::NvtxMemoryRecord& record) const;
  void count(const Domain& domain, const Part& region, std::int64_t time, std::int64_t change);
  void write(const Part& part, std::optional<std::int64_t> end);
  void describe(const Domain& domain, const Heap& heap);
  bool is_outside(std::int64_t start, std::int64_t end) const {
    return window_end_ && (end < 0 || start > *window_end_);
  }

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  const ProcessTable& processes_;
  MetricBuilder& metrics_;
  report::ReportWriter& writer_;
  std::optional<std::int64_t> window_end_;
  std::vector<Event> events_;
  std::map<std::pair<Domain, std::uint64_t>, Part> open_heaps_;    // by number
  std::map<std::pair<Domain, std::uint64_t>, Part> open_regions_;  // by number
  // The open regions that begin at an address, innermost last.
  std::map<std::pair<Domain, std::uint64_t>, std::set<std::uint64_t>> by_address_;
  std::map<std::pair<Domain, std::uint64_t>, Heap> heaps_;
};

}  // namespace prof::ingest
