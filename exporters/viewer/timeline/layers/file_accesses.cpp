#include "exporters/viewer/timeline/layers/file_accesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::timeline {

namespace {

bool is_socket(std::string_view path) {
  constexpr std::array<std::string_view, 4> kNames = {"tcp", "udp", "unix", "pipe:["};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return path.starts_with(name); });
}

}  // namespace

std::unordered_map<std::int64_t, FileAccess> file_accesses(const report::ReportReader& reader) {
  std::unordered_map<std::int64_t, std::int64_t> by_pid;
  std::unordered_map<std::int64_t, FileAccess> result;
  base::Status read;
  if (reader.has_column("PROCESSES", "pid"))
    read = events::for_each_row(
        reader, "SELECT pid, globalPid FROM PROCESSES",
        [&](const report::Statement& row) { by_pid[row.integer(0)] = row.integer(1); });
  if (read)
    read = events::for_each_row(
        reader, fmt::format("SELECT fileAccessId, processId, filePath FROM {}", events::kFileTable),
        [&](const report::Statement& row) {
          const std::int64_t pid = row.integer(1);
          const auto known = by_pid.find(pid);
          result[row.integer(0)] = {known == by_pid.end() ? pid << 24 : known->second,
                                    is_socket(row.text(2))};
        });
  if (!read) reader.note(read.error());
  return result;
}

}  // namespace prof::timeline
