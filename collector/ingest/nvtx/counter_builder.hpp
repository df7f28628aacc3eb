// Rows of GENERIC_EVENTS for the counters of programs (nvtxCounter*).
#pragma once

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collector/ingest/metrics/metric_builder.hpp"
#include "collector/ingest/nvtx/payload_blocks.hpp"
#include "collector/ingest/nvtx/payload_schemas.hpp"
#include "collector/ingest/nvtx/payload_values.hpp"
#include "collector/ingest/nvtx/time_domains.hpp"

namespace prof::ingest {

struct NvtxCounterStats {
  std::uint64_t samples = 0;
  std::uint64_t without_time = 0;  // samples whose clock is not known
  std::uint64_t unknown = 0;       // samples of counters that were never registered
};

class NvtxCounters {
 public:
  NvtxCounters(const spool::ClockModel& clock, const StringTable& strings,
               const ProcessTable& processes, const PayloadSchemas& schemas,
               const TimeDomains& times, MetricBuilder& metrics, report::ReportWriter& writer)
      : clock_(clock),
        strings_(strings),
        processes_(processes),
        schemas_(schemas),
        times_(times),
        metrics_(metrics),
        writer_(writer) {}

  // First pass: adds a registered counter.
  void define(std::uint32_t serial, const wire::NvtxCounterRecord& record);

  // Leaves out samples before time 0 and after `end`.
  void set_window(std::int64_t end) { window_end_ = end; }

  void begin_thread(std::uint32_t serial, std::uint32_t tid);
  // Adds a sample. `blocks`: the payloads of the record's token.
  void sample(const wire::NvtxSampleRecord& record, const PayloadBlocks& blocks);
  void batch(const wire::NvtxSampleBatchRecord& record, const PayloadBlocks& blocks);

  // Writes the descriptions of the counters, after the last thread.
  void finish();

  const NvtxCounterStats& stats() const { return stats_; }

 private:
  enum class FieldType {
    kSigned,
    kUnsigned,
    kFloat,
    kDouble
  };  // ENUM_NSYS_GENERIC_EVENT_FIELD_TYPE
  struct FieldValue {
    std::size_t field;
    double real;
    std::uint64_t bits;
  };
  struct CounterField {
    std::string name;
    FieldType type;
    std::int64_t size;
    std::string unit;
  };
  struct Counter {
    wire::NvtxCounterRecord record;
    std::uint32_t serial = 0;
    std::int64_t type_id = 0;  // 0: no sample yet
    std::vector<CounterField> fields;
    std::vector<FieldValue> last;
  };
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // serial, domain, id

  Counter* find(std::uint32_t domain, std::uint64_t id);
  std::size_t field_of(Counter& counter, const std::string& name, const PayloadValue& value);
  void collect(Counter& counter, const std::string& prefix, const PayloadValue& value,
               std::vector<FieldValue>& values);
  void put(Counter& counter, std::int64_t time, std::vector<FieldValue> values);
  std::optional<std::int64_t> embedded_time(const Counter& counter,
                                            const std::vector<PayloadValue>& values) const;
  std::uint64_t time_domain_of(const Counter& counter) const;
  std::string unit_of(const Semantics& semantics) const;
  std::string description_of(const Counter& counter) const;

  const spool::ClockModel& clock_;
  const StringTable& strings_;
  const ProcessTable& processes_;
  const PayloadSchemas& schemas_;
  const TimeDomains& times_;
  MetricBuilder& metrics_;
  report::ReportWriter& writer_;
  std::optional<std::int64_t> window_end_;
  std::uint32_t serial_ = 0;
  std::int64_t global_tid_ = 0;
  std::map<Key, Counter> counters_;
  NvtxCounterStats stats_;
};

}  // namespace prof::ingest
