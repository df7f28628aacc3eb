#include "exporters/viewer/answers/event/column_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/selection/time_columns.hpp"
#include "exporters/analysis/tables/readable_units.hpp"

namespace prof::view {

namespace {

constexpr const char* kStrings = "StringIds";

// The tables that have the ids of columns. Reports name these tables with REFERENCES, but not for
// all columns.
constexpr std::pair<std::string_view, const char*> kReferences[] = {
    {"nameId", kStrings},
    {"textId", kStrings},
    {"jsonTextId", kStrings},
    {"filenameId", kStrings},
    {"demangledName", kStrings},
    {"shortName", kStrings},
    {"mangledName", kStrings},
    {"eventClass", "ENUM_NSYS_EVENT_CLASS"},
    {"eventType", "ENUM_NSYS_EVENT_TYPE"},
    {"launchType", "ENUM_CUDA_KERNEL_LAUNCH_TYPE"},
    {"cacheConfig", "ENUM_CUDA_FUNC_CACHE_CONFIG"},
    {"sharedMemoryLimitConfig", "ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG"},
    {"copyKind", "ENUM_CUDA_MEMCPY_OPER"},
    {"srcKind", "ENUM_CUDA_MEM_KIND"},
    {"dstKind", "ENUM_CUDA_MEM_KIND"},
    {"memKind", "ENUM_CUDA_MEM_KIND"},
    {"migrationCause", "ENUM_CUDA_UNIF_MEM_MIGRATION"},
    {"memoryOperationType", "ENUM_CUDA_DEV_MEM_EVENT_OPER"},
    {"memoryPoolOperationType", "ENUM_CUDA_MEMPOOL_OPER"},
    {"memoryPoolType", "ENUM_CUDA_MEMPOOL_TYPE"},
    {"syncType", "ENUM_CUPTI_SYNC_TYPE"},
    {"threadState", "ENUM_SAMPLING_THREAD_STATE"},
    {"threadBlock", "ENUM_SCHEDULING_THREAD_BLOCK"},
};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_bytes(std::string_view column) {
  return is_one_of(column, {"bytes", "size", "memSize", "messageSize", "localMemoryPerThread",
                            "localMemoryTotal", "sharedMemoryExecuted"}) ||
         column.ends_with("SharedMemory") || column.ends_with("PoolSize") ||
         column.ends_with("UtilizedSize") || column.ends_with("ReleaseThreshold");
}

bool is_address(std::string_view column) {
  return is_one_of(column, {"pc", "address", "originalIP"}) || column.ends_with("Address");
}

}  // namespace

ColumnTexts::ColumnTexts(const report::ReportReader& reader, const timeline::Snapshot& snapshot,
                         std::uint32_t report, std::string_view table)
    : reader_(reader), snapshot_(snapshot), report_(report), strings_(reader, "") {
  for (const auto& [column, with_ids] : kReferences) references_[std::string(column)] = with_ids;
  const base::Status read = events::for_each_row(
      reader, fmt::format("PRAGMA main.foreign_key_list({})", report::quoted(table)),
      [&](const report::Statement& row) {
        references_[std::string(row.text(3))] = std::string(row.text(2));
      });
  if (!read) reader.note(read.error());
}

std::string ColumnTexts::text(const report::Statement& row, int column) {
  if (row.is_null(column)) return "";
  const int type = row.type(column);
  if (type == SQLITE_INTEGER) return text_of_integer(row.column_name(column), row.integer(column));
  if (type == SQLITE_BLOB) return fmt::format("{} bytes", row.text(column).size());
  return std::string(row.text(column).substr(0, report::kMaxTextBytes));
}

std::string ColumnTexts::text_of_integer(std::string_view column, std::int64_t value) {
  if (events::is_time_column(column))
    return fmt::format("{:.9f} s", static_cast<double>(value) / 1e9);
  if (column == "globalTid" || column == "endGlobalTid") return thread_text(value, false);
  if (column == "globalPid") return thread_text(value, true);
  if (is_address(column)) return fmt::format("{:#x}", static_cast<std::uint64_t>(value));
  if (column == "color") return fmt::format("#{:06x}", value & 0xffffff);
  if (is_bytes(column))
    return tables::readable_text(value, tables::Measure::kBytes).value_or(std::to_string(value));
  if (const auto at = references_.find(column); at != references_.end()) {
    std::string name = at->second == kStrings            ? strings_.text(value)
                       : at->second.starts_with("ENUM_") ? enumerator(at->second, value)
                                                         : std::string();
    if (!name.empty()) return name;
  }
  return std::to_string(value);
}

// Returns the enumerator's text. Empty if the table is missing or does not have the id.
std::string ColumnTexts::enumerator(const std::string& table, std::int64_t id) const {
  if (!reader_.has_column(table, "name")) return "";
  const char* label =
      reader_.has_column(table, "label") ? "COALESCE(NULLIF(label, ''), name)" : "name";
  auto query =
      reader_.prepare(fmt::format("SELECT {} FROM {} WHERE id = ?", label, report::quoted(table)));
  if (!query) return "";
  query->bind(1, id);
  const auto row = query->step();
  return row && *row ? std::string(query->text(0)) : "";
}

std::string ColumnTexts::thread_text(std::int64_t global_id, bool is_process) const {
  std::string text = fmt::format("pid {}", events::pid_of(global_id));
  if (!is_process) text += fmt::format(", tid {}", events::tid_of(global_id));
  const auto kind = is_process ? timeline::RowKind::kProcess : timeline::RowKind::kThread;
  for (const timeline::Row& row : snapshot_.rows())
    if (row.report == report_ && row.kind == kind &&
        (is_process ? row.process : row.thread) == global_id)
      return text + fmt::format(" ({})", row.name);
  return text;
}

}  // namespace prof::view
