// osrt_file_sum: time and bytes of files, sockets and pipes (--osrt-file-access).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

// ENUM_PROF_FILE_EVENT_TYPE
enum FileEvent : std::int64_t { kOpen = 0, kRead = 1, kWrite = 2 };

struct Transfers {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
};

struct FileUsage {
  std::int64_t time = 0;
  std::int64_t calls = 0;
  std::int64_t opens = 0;
  std::int64_t transfer_time = 0;
  Transfers reads;
  Transfers writes;

  std::int64_t bytes() const { return events::sum(reads.bytes, writes.bytes); }

  void add(std::int64_t type, std::int64_t duration, std::int64_t amount) {
    time = events::sum(time, duration);
    ++calls;
    opens += type == kOpen ? 1 : 0;
    if (type != kRead && type != kWrite) return;
    Transfers& transfers = type == kRead ? reads : writes;
    ++transfers.calls;
    transfers.bytes = events::sum(transfers.bytes, amount);
    transfer_time = events::sum(transfer_time, duration);
  }
  // Returns the bytes per second of the reads and writes.
  tables::Cell throughput() const {
    if (transfer_time <= 0) return {};
    return static_cast<double>(bytes()) * 1e9 / static_cast<double>(transfer_time);
  }
};

// Files by descriptor. Several descriptors may refer to one file.
struct Files {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> by_name;
  std::unordered_map<std::int64_t, std::size_t> by_access;

  void add(std::int64_t access, std::string_view name) {
    const auto [found, is_new] = by_name.try_emplace(std::string(name), names.size());
    if (is_new) names.emplace_back(name);
    by_access[access] = found->second;
  }
  std::size_t of(std::int64_t access) {
    const auto found = by_access.find(access);
    if (found != by_access.end()) return found->second;
    add(access, "[Unknown]");
    return by_access[access];
  }
};

base::Result<Files> read_files(const report::ReportReader& reader) {
  Files files;
  const base::Status read = events::for_each_row(
      reader, fmt::format("SELECT fileAccessId, filePath FROM {}", events::kFileTable),
      [&](const report::Statement& row) { files.add(row.integer(0), row.text(1)); });
  if (!read) return tl::make_unexpected(read.error());
  return files;
}

// Adds the events. A call that involves several files counts for each of them.
base::Status add_events(const report::ReportReader& reader, Files& files,
                        std::vector<FileUsage>& usages) {
  std::int64_t faulty = 0;
  const base::Status read = report::scan(
      reader,
      {events::kFileEventTable,
       {"fileAccessId", "eventType", "bytesProcessed", "startedAt", "endedAt"}},
      [&](const report::Row& row) {
        const events::Times times{row.integer_or(3, INT64_MAX), row.integer_or(4, INT64_MIN)};
        if (!times.is_valid()) {
          ++faulty;
          return;
        }
        const std::size_t file = files.of(row.integer(0));
        if (file >= usages.size()) usages.resize(file + 1);
        usages[file].add(row.integer(1), times.duration(),
                         std::max<std::int64_t>(row.integer(2), 0));
      });
  if (faulty > 0) reader.note_faulty(events::kFileEventTable, faulty);
  return read;
}

std::vector<tables::ColumnSpec> file_columns() {
  return {{"Time (%)", CellKind::kReal, 1},
          {"Total Time (ns)", CellKind::kInteger},
          {"Calls", CellKind::kInteger},
          {"Reads", CellKind::kInteger},
          {"Bytes Read", CellKind::kInteger},
          {"Writes", CellKind::kInteger},
          {"Bytes Written", CellKind::kInteger},
          {"Opens", CellKind::kInteger},
          {"Throughput (bytes/s)", CellKind::kReal, 0},
          {"File", CellKind::kText}};
}

}  // namespace

base::Result<tables::Table> osrt_file_sum(const report::ReportReader& reader,
                                          const Arguments& arguments) {
  if (!reader.has_table(events::kFileTable) || !reader.has_table(events::kFileEventTable))
    return tables::Table{file_columns(), {}};
  auto files = read_files(reader);
  if (!files) return tl::make_unexpected(files.error());
  std::vector<FileUsage> usages;
  const base::Status read = add_events(reader, *files, usages);
  if (!read) return tl::make_unexpected(read.error());
  std::vector<std::size_t> order;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < usages.size(); ++i) {
    total = events::sum(total, usages[i].time);
    if (usages[i].calls > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto rank = [&](std::size_t i) {
      return arguments.by_bytes ? std::pair(usages[i].bytes(), usages[i].time)
                                : std::pair(usages[i].time, usages[i].bytes());
    };
    return rank(a) != rank(b) ? rank(a) > rank(b) : files->names[a] < files->names[b];
  });
  tables::Table table{file_columns(), {}};
  for (const std::size_t i : order) {
    const FileUsage& usage = usages[i];
    table.rows.push_back({tables::percent(usage.time, total), usage.time, usage.calls,
                          usage.reads.calls, usage.reads.bytes, usage.writes.calls,
                          usage.writes.bytes, usage.opens, usage.throughput(), files->names[i]});
  }
  return table;
}

}  // namespace prof::stats
