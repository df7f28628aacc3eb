// A finding: a problem, how much time it costs, where it is and what usually helps.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exporters/analysis/analyze/findings/facts.hpp"
#include "exporters/analysis/analyze/findings/verdict.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/insight/occupancy/kernel_rule.hpp"

namespace prof::analyze {

// A time in which a problem shows, with the thread, device and stream that have the problem.
struct Where {
  insight::Interval time;
  std::optional<std::int64_t> thread = {};  // globalTid
  std::optional<insight::Device> device = {};
  std::optional<std::int64_t> stream = {};  // stream of the device
};
Where where_of(const Facts& facts, const insight::Operation& operation);
Where where_of(const Facts& facts, const insight::IdleTime& idle);
Where where_of(const events::ApiCall& call);
// Returns the longest of some times on the GPU of an operation. `times` must not be empty.
Where where_of(const Facts& facts, const insight::Operation& on_gpu,
               const insight::Intervals& times);

// What a finding's change would save, as a replay of the report predicts.
struct Gain {
  std::string change;     // as prof stats -r what_if takes it
  std::int64_t time = 0;  // ns
  double percent = 0;     // of the replayed time
  bool is_at_most = false;
};

// Rows of a table that show a finding.
struct EvidenceRows {
  const char* table;
  std::vector<std::int64_t> ids;  // rowid
};

// SQL that gives a number of a finding.
inline constexpr const char* kAtStake = "at_stake_ns";
inline constexpr const char* kWorst = "worst_ns";  // the length of Finding::where
inline constexpr const char* kTimeInCalls = "time_in_calls_ns";
struct NumberQuery {
  const char* number;
  std::string sql;
  std::int64_t value;
};

// The names of the report in its sentences are marked (common/base/text/marked_name.hpp).
struct Finding {
  const char* rule = "";
  std::string sentence;       // describes the problem
  std::int64_t at_stake = 0;  // ns of the analyzed time
  std::string evidence;       // where to look
  std::string remedy;
  std::optional<Where> where = {};  // the worst case, if the rule knows one
  bool is_outside = false;  // the cause is not in the program, so its own problems come first
  // The part of the time at stake that the remedy usually saves. Findings are sorted by what they
  // save.
  double saved_part = 1;
  std::vector<std::int64_t> kernels = {};  // names (StringIds.id) of the kernels that it is about
  // Of the time of each of these kernels, the part that is saved at most. Empty: savings() is what
  // all of them save.
  std::vector<double> parts = {};
  // Of a program without GPU work: the calls that it is about (StringIds.id of their names), how
  // long threads were in them in ns, and the function that it is about.
  std::vector<std::int64_t> calls = {};
  std::int64_t time_in_calls = 0;
  std::string function = {};
  std::optional<Gain> gain = {};
  std::optional<std::int64_t> rank = {};  // of a job: whose report has the finding
  // Filled by add_evidence().
  std::vector<EvidenceRows> rows = {};
  std::vector<NumberQuery> queries = {};

  std::int64_t savings() const {  // ns
    return std::llround(saved_part * static_cast<double>(at_stake));
  }
};

// A rule reads the facts and returns its finding, if there is one.
using FindingRule = std::optional<Finding>(const Facts& facts);

FindingRule pageable_copies, small_copies, serial_copies;              // copies.cpp
FindingRule synchronization, slow_calls, launch_bound, graph_gaps;     // idle.cpp
FindingRule data_loading, cpu_bound;                                   // idle.cpp
FindingRule slow_links, small_messages;                                // communication.cpp
FindingRule exposed_communication, late_processes, uneven_iterations;  // iterations.cpp
FindingRule fp32_gemm, layout_conversion;                              // kernels/kernel_names.cpp
// operators/operator_findings.cpp
FindingRule inefficient_operators, small_products, unaligned_products, unfused_operators;
FindingRule recomputation;
FindingRule small_grids, tail_effect, partial_warps;  // kernels/launches.cpp
// What the metrics of profiled kernels say. kernels/profiles.cpp has the rules for which it is
// defined.
template <insight::KernelRule rule>
std::optional<Finding> profiled(const Facts& facts);
// low_occupancy for reports without GPU metrics: by what launches allow.
inline constexpr const char* kMoreOccupancy =
    "Use fewer registers or less shared memory for each thread, or blocks of another size; "
    "kernel_occupancy has the limits";
FindingRule limited_occupancy;
FindingRule memory_bound_kernels, idle_tensor_cores, idle_multiprocessors;  // metrics.cpp
FindingRule low_occupancy, full_pcie, full_nvlink, shared_gpu;              // metrics.cpp
// True if GPU metrics show that kernels with this name are limited by the bandwidth of memory.
bool is_memory_bound(const Facts& facts, std::int64_t name);
// stalls/stall_findings.cpp, from PC samples
FindingRule memory_stalls, shared_memory_stalls, barrier_stalls, arithmetic_stalls;
FindingRule instruction_stalls, issue_bound_kernels;
FindingRule gpu_throttled;                                      // metrics.cpp
FindingRule allocator_churn, single_stream, profiler_overhead;  // resources.cpp

struct NamedRule {
  const char* name;
  FindingRule* run;
  bool is_about_kernels = false;  // makes sense for a report of prof kernel
};
std::span<const NamedRule> finding_rules();

enum class Subject : std::uint8_t {
  kGpus,
  kCpus,    // the report has no GPU work
  kNothing  // the report has neither GPU work nor records of threads
};

// What changes of a report would save.
struct Gains {
  std::string sentence;                        // which change saves most, or why nothing is known
  std::int64_t replayed = 0;                   // ns; 0: nothing was replayed
  std::optional<insight::Interval> time = {};  // that was replayed
};

struct Diagnosis {
  Subject subject = Subject::kGpus;
  Verdict verdict;
  std::vector<Finding> findings;  // sorted by Ranking, or by their gains
  // The analyzed time in ns, which shares refer to: summed over the GPUs, or the time of the
  // program.
  std::int64_t span = 0;
  // The analyzed time, if it is not the whole report: that of the iterations.
  std::optional<insight::Interval> window = {};
  // For a program without GPU work: the missing records that limit the diagnosis, and the options
  // that record them.
  std::vector<std::string> not_recorded = {};
  // NVTX ranges that never ended. Their times extend to the end wherever times of ranges count.
  std::vector<events::OpenRanges> open_ranges = {};
  // For a report of a flight recorder: why it was written.
  std::vector<std::string> causes = {};
  std::optional<Gains> gains = {};
  // For a job of several ranks: what it consists of, and what is missing.
  std::vector<std::string> job = {};
};

// Keeps the findings that take enough of the analyzed time, and sorts them by what they save,
// largest first. Findings with a cause outside of the program come last.
class Ranking {
 public:
  explicit Ranking(std::int64_t span) : span_(span) {}
  void add(std::optional<Finding> finding);
  std::vector<Finding> take();

 private:
  std::int64_t span_;
  std::vector<Finding> findings_;
};

// The verdict about a report of prof kernel: its kernels.
Verdict verdict_of_profiles(const Facts& facts);

// Diagnoses the GPU work. In a report of prof kernel these are the kernels: the times between them
// are those of their repetitions. A report without GPU work gets the verdict "no GPU work" and no
// findings.
Diagnosis diagnose(const Facts& facts);

}  // namespace prof::analyze
