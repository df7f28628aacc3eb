#include "exporters/analysis/facts/missing.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::facts {

namespace {

constexpr const char* kDiagnosticTable = "DIAGNOSTIC_EVENT";
constexpr const char* kNone = "the report has none: not recorded, or none happened";

// The programs whose reports lack a topic if it was not recorded.
enum class Programs : std::uint8_t {
  kAll,
  kWithGpuWork,
  kOfPython,
  kUnknown,  // a report without it does not tell whether the program could have it
};

struct RecordedTopic {
  const char* name;
  std::array<const char*, 3> tables;  // one with rows is enough; unused elements are null
  const char* fix;
  Programs programs = Programs::kAll;
};
constexpr RecordedTopic kTopics[] = {
    {"gpu_work", {events::kKernelTable, events::kMemcpyTable, events::kGraphTable}, "-t cuda"},
    {"cuda_calls", {events::kApiTable}, "-t cuda", Programs::kWithGpuWork},
    {"ranges", {events::kNvtxTable}, "-t nvtx"},
    {"os_calls", {events::kOsrtTable, events::kShortCallTable, events::kSyscallTable}, "-t osrt"},
    {"cpu_samples", {events::kCpuSampleTable}, "-s process-tree"},
    {"thread_states", {events::kSchedulingTable}, "--cpuctxsw=process-tree"},
    {"python_functions",
     {events::kPythonSampleTable, events::kPythonWaitTable},
     "--python-sampling=true",
     Programs::kOfPython},
    {"gpu_metrics", {"GPU_METRICS"}, "--gpu-metrics-devices=all", Programs::kWithGpuWork},
    {"gpu_memory", {events::kMemoryUsageTable}, "--cuda-memory-usage=true", Programs::kWithGpuWork},
    {"kernel_stalls",
     {events::kPcSampleTable, "PROF_KERNEL_PROFILES"},
     "prof kernel",
     Programs::kWithGpuWork},
    {"openmp", {events::kOpenMpParallelTable}, "-t openmp", Programs::kUnknown},
    {"frames", {events::kOpenGlTable}, "-t opengl", Programs::kUnknown},
};

bool has_rows(const report::ReportReader& reader, const char* table) {
  if (table == nullptr || !reader.has_table(table)) return false;
  auto query = reader.prepare(fmt::format("SELECT 1 FROM main.{} LIMIT 1", report::quoted(table)));
  return query && query->step().value_or(false);
}

bool is_missing(const report::ReportReader& reader, const RecordedTopic& topic) {
  for (const char* table : topic.tables)
    if (has_rows(reader, table)) return false;
  return true;
}

// True if a process of the report is Python's interpreter.
bool runs_python(const report::ReportReader& reader) {
  if (!reader.has_column("PROCESSES", "name")) return false;
  auto query = reader.prepare("SELECT 1 FROM main.PROCESSES WHERE name LIKE '%python%' LIMIT 1");
  return query && query->step().value_or(false);
}

// Returns the diagnostics about lost events.
base::Result<std::optional<Missing>> losses(const report::ReportReader& reader) {
  constexpr std::size_t kMaxRows = 5;
  if (!reader.has_column(kDiagnosticTable, "severity")) return std::optional<Missing>();
  Missing lost{"lost_events", "events were lost, so sums are too small", "", {}};
  lost.rows.push_back({kDiagnosticTable, {}});
  const base::Status read = events::for_each_row(
      reader,
      fmt::format(
          "SELECT rowid FROM main.{} WHERE severity >= 2 AND (text LIKE '%dropped%' OR text "
          "LIKE '%lost%' OR text LIKE '%incomplete%' OR text LIKE '%damaged%' OR text LIKE "
          "'%missing%') ORDER BY severity DESC, rowid LIMIT {}",
          kDiagnosticTable, kMaxRows),
      [&](const report::Statement& row) { lost.rows[0].ids.push_back(row.integer(0)); });
  if (!read) return tl::make_unexpected(read.error());
  return lost.rows[0].ids.empty() ? std::optional<Missing>() : std::optional(std::move(lost));
}

class Hash {
 public:
  void add(std::string_view text) {
    for (const char each : text) add_byte(static_cast<unsigned char>(each));
    add_byte(0);
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  // FNV-1a with 64 bits.
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

base::Result<std::vector<Missing>> missing_topics(const report::ReportReader& reader,
                                                  bool has_gpu_work) {
  std::vector<Missing> result;
  auto lost = losses(reader);
  if (!lost) return tl::make_unexpected(lost.error());
  if (*lost) result.push_back(**std::move(lost));
  const bool has_python = runs_python(reader);
  const auto concerns = [&](Programs programs) {
    return programs == Programs::kAll || (programs == Programs::kWithGpuWork && has_gpu_work) ||
           (programs == Programs::kOfPython && has_python);
  };
  for (const RecordedTopic& each : kTopics)
    if (concerns(each.programs) && is_missing(reader, each))
      result.push_back({each.name, kNone, each.fix});
  return result;
}

std::optional<Missing> missing_topic(const report::ReportReader& reader, std::string_view topic) {
  for (const RecordedTopic& each : kTopics)
    if (each.name == topic && is_missing(reader, each)) return Missing{each.name, kNone, each.fix};
  return std::nullopt;
}

base::Result<std::string> report_id(const report::ReportReader& reader) {
  Hash hash;
  hash.add(std::to_string(events::session_start(reader)));
  for (const std::string& table : reader.tables()) {
    hash.add(table);
    const base::Status read = events::for_each_row(
        reader, fmt::format("SELECT max(rowid) FROM main.{}", report::quoted(table)),
        [&](const report::Statement& row) { hash.add(row.text(0)); });
    // A table without rowid counts by its name.
    if (!read) continue;
  }
  return hash.text();
}

}  // namespace prof::facts
