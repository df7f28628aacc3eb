#include "exporters/analysis/events/thread_selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

constexpr std::size_t kMaxNamed = 8;  // maximum number of names in a message

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Finds the rows (id, number, name) that a pattern names. `known` collects the names for a message.
base::Result<std::vector<std::int64_t>> find(const report::ReportReader& reader,
                                             const std::string& sql,
                                             const std::vector<std::string>& patterns,
                                             const Matches& matches,
                                             std::vector<std::string>& known) {
  std::vector<std::int64_t> found;
  const base::Status read = for_each_row(reader, sql, [&](const report::Statement& row) {
    const std::string number = std::to_string(row.integer(1));
    const std::string name(row.text(2));
    const std::string last_part = name.substr(name.rfind('/') + 1);
    known.push_back(fmt::format("{} ({})", number, last_part));
    for (const std::string& pattern : patterns)
      if (is_number(pattern) ? pattern == number
                             : matches(name, pattern) || matches(last_part, pattern)) {
        found.push_back(row.integer(0));
        return;
      }
  });
  if (!read) return tl::make_unexpected(read.error());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

base::Error none_matches(const char* what, const std::vector<std::string>& patterns,
                         std::vector<std::string> known) {
  std::string end;
  if (known.size() > kMaxNamed) {
    end = fmt::format(", and {} more", known.size() - kMaxNamed);
    known.resize(kMaxNamed);
  }
  const std::string list = known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "));
  return {fmt::format("no {} matches {} (the report has: {}{})", what, fmt::join(patterns, ", "),
                      list, end)};
}

}  // namespace

base::Result<EventFilter> find_process_filter(const report::ReportReader& reader,
                                              const std::vector<std::string>& patterns,
                                              const Matches& matches) {
  std::vector<std::string> known;
  base::Result<std::vector<std::int64_t>> found = std::vector<std::int64_t>();
  if (reader.has_table("PROCESSES"))
    found = find(reader, "SELECT globalPid >> 24, pid, name FROM main.PROCESSES", patterns, matches,
                 known);
  if (!found) return tl::make_unexpected(found.error());
  if (found->empty()) return tl::make_unexpected(none_matches("process", patterns, known));
  EventFilter filter;
  filter.processes = *std::move(found);
  return filter;
}

base::Result<EventFilter> find_thread_filter(const report::ReportReader& reader,
                                             const std::vector<std::string>& patterns,
                                             const Matches& matches) {
  std::vector<std::string> known;
  base::Result<std::vector<std::int64_t>> found = std::vector<std::int64_t>();
  if (reader.has_table("ThreadNames"))
    found = find(reader,
                 "SELECT globalTid, globalTid & 0xffffff, "
                 "(SELECT value FROM main.StringIds WHERE id = nameId) FROM main.ThreadNames",
                 patterns, matches, known);
  if (!found) return tl::make_unexpected(found.error());
  if (found->empty()) return tl::make_unexpected(none_matches("thread", patterns, known));
  EventFilter filter;
  filter.threads = *std::move(found);
  return filter;
}

}  // namespace prof::events
