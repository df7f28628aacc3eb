// Rows of prof kernel: launches that it selected, their metrics, and what the metrics are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/ingest/cuda/instruction_counts.hpp"
#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/kernel_records.hpp"

namespace prof::ingest {

// Returns the unit of a metric as Nsight Compute prints it: "cycle" of "gpc_cycle".
std::string_view metric_unit(std::string_view cupti_unit);

class KernelProfiles {
 public:
  // The references outlive the object.
  KernelProfiles(const StringTable& strings, const ProcessTable& processes,
                 report::ReportWriter& writer);

  // First pass.
  void define(const wire::KernelMetricNameRecord& record);
  void define(const wire::KernelSeenRecord& record) { seen_.insert(record.name); }

  // Second pass: the records of one thread in order. Metrics and instructions belong to the profile
  // before them. `counts`: wire::KernelCount items that outlive the object.
  void profile(std::uint32_t serial, const wire::KernelProfileRecord& record);
  void metric(const wire::KernelMetricRecord& record);
  void instruction(const wire::KernelInstructionRecord& record, std::span<const std::byte> counts);

  // Writes all rows, after the last thread.
  void finish(std::int64_t end);

 private:
  struct Value {
    std::uint64_t metric;  // string hash
    double value;
  };
  struct Profile {
    std::uint32_t serial;
    wire::KernelProfileRecord record;
    std::size_t first_value;
    std::size_t num_values;
    std::size_t first_instruction;
    std::size_t num_instructions;
  };
  using MetricKey = std::pair<std::uint64_t, std::uint64_t>;  // string hashes of chip and name

  // What a profile lacks, for a message.
  enum class Lack { kAll, kSassMetrics, kPasses };

  void write_names();
  std::vector<std::vector<const Profile*>> join() const;
  // `launches`: one, or those that made the passes.
  void write(std::int64_t id, const std::vector<const Profile*>& launches);
  void write_passes(std::int64_t id, const std::vector<const Profile*>& launches);
  void write_values(std::int64_t id, const Profile& profile);
  std::string reason_of_row(const std::vector<const Profile*>& launches);
  std::span<const CountedInstruction> instructions_of(const Profile& profile) const;
  void write_instructions(std::int64_t id, const Profile& profile);
  void write_sums(std::int64_t id, const Profile& profile);
  void write_sum(std::int64_t id, std::int64_t metric, double value);
  std::int64_t id_of_sum(std::uint64_t chip, const LaunchSum& sum);
  bool is_measured(std::uint64_t chip, std::string_view name) const;
  std::string reason_of(const wire::KernelProfileRecord& record) const;
  std::string demangled(std::uint64_t name) const;
  // Returns the StringIds.id of the demangled name.
  std::int32_t name_id(std::uint64_t name);
  void write_why_none(std::int64_t end);
  void write_why_some(std::int64_t end);

  const StringTable& strings_;
  const ProcessTable& processes_;
  report::ReportWriter& writer_;
  std::pmr::map<MetricKey, wire::KernelMetricNameRecord> names_;
  std::pmr::map<MetricKey, std::int64_t> ids_;
  std::pmr::map<std::pair<std::uint64_t, std::string_view>, std::int64_t>
      sum_ids_;                        // by chip and name
  std::pmr::set<std::uint64_t> seen_;  // string hashes of names of kernels
  std::pmr::vector<Profile> profiles_;
  std::pmr::vector<Value> values_;
  std::pmr::vector<CountedInstruction> instructions_;
  std::pmr::unordered_map<std::uint64_t, std::int32_t> name_ids_;  // by string hash
  std::pmr::set<std::pmr::string> reasons_;  // texts of rows, which keep views of them
  std::map<std::pair<Lack, std::string>, std::uint64_t> lacks_;  // number, by reason
};

}  // namespace prof::ingest
