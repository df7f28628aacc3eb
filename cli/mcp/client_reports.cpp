#include "cli/mcp/client_reports.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cli/messages/failure.hpp"
#include "cli/output/report_access.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/facts/missing.hpp"

namespace prof::cli {

namespace {

constexpr std::size_t kMaxFiles = 10'000;
constexpr std::size_t kIdSize = 16;

// Empty: the file is not a report.
std::string id_of(const std::string& path) {
  const auto reader = report::ReportReader::open(path);
  if (!reader) return "";
  return facts::report_id(*reader).value_or(std::string());
}

bool can_be_id(const std::string& name) {
  return name.size() == kIdSize && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Calls `use` with the values of a table's names that begin with `prefix`.
template <class Use>
void for_each_value(const report::ReportReader& reader, const char* table, std::string_view prefix,
                    Use use) {
  if (!reader.has_table(table)) return;
  static_cast<void>(events::for_each_row(
      reader, std::string("SELECT name, value FROM main.") + table + " ORDER BY rowid",
      [&](const report::Statement& row) {
        if (row.text(0).starts_with(prefix)) use(std::string(row.text(1)));
      }));
}

void hide_host(const std::string& name, mcp::Redaction& redaction) {
  constexpr std::size_t kLeast = 3;  // shorter ones are within other words
  const std::string first = name.substr(0, name.find('.'));
  for (const std::string& each : {name, first})
    if (each.size() >= kLeast) redaction.hide(each, "host");
}

void hide_arguments(const report::ReportReader& reader, mcp::Redaction& redaction) {
  constexpr std::size_t kLeast = 3;
  std::string command;
  for_each_value(reader, "META_DATA_CAPTURE", "PROCESS_0:COMMAND",
                 [&](const std::string& each) { command = each; });
  std::string all;
  for_each_value(reader, "META_DATA_CAPTURE", "PROCESS_0:ARGUMENT_", [&](const std::string& each) {
    all += ' ' + each;
    if (each.size() >= kLeast) redaction.hide_whole(each);
  });
  if (!all.empty()) redaction.hide(command + all, command + " …");
}

}  // namespace

ClientReports::ListedPage ClientReports::list(std::size_t first, std::size_t files) const {
  const mcp::Redaction shown = redaction({});
  const std::vector<mcp::Roots::Report> all = roots_.reports(kMaxFiles);
  const std::size_t begin = std::min(first, all.size());
  const std::size_t end = begin + std::min(files, all.size() - begin);
  ListedPage page;
  for (std::size_t i = begin; i < end; ++i)
    if (std::string id = id_of(all[i].path); !id.empty())
      page.reports.push_back({std::move(id), shown.text(all[i].path), all[i].bytes});
  if (end < all.size()) page.next = end;
  return page;
}

std::string ClientReports::file(const std::string& name) const {
  base::Result<std::string> path = roots_.file(name);
  if (path) return *path;
  const mcp::Redaction shown = redaction({});
  std::vector<std::string> found;
  for (const auto& [each, bytes] : roots_.reports(kMaxFiles))
    if (shown.text(each) == name || (can_be_id(name) && id_of(each) == name)) found.push_back(each);
  if (found.size() == 1 || (!found.empty() && can_be_id(name))) return found.front();
  if (!found.empty()) throw Failure("several reports have this path: use the id");
  return take(std::move(path));
}

mcp::Redaction ClientReports::redaction(const std::vector<std::string>& files) const {
  mcp::Redaction redaction;
  const char* home = std::getenv("HOME");
  if (hidden_.homes || hidden_.paths) redaction.hide_homes(home == nullptr ? "" : home);
  if (hidden_.paths) redaction.hide_paths();
  if (hidden_.hosts) {
    char own[256] = "";
    if (gethostname(own, sizeof own - 1) == 0) hide_host(own, redaction);
  }
  if (!hidden_.hosts && !hidden_.arguments) return redaction;
  for (const std::string& file : files) {
    const auto reader = report::ReportReader::open(file);
    if (!reader) continue;
    if (hidden_.hosts)
      for_each_value(*reader, "TARGET_INFO_SYSTEM_ENV", "Hostname",
                     [&](const std::string& name) { hide_host(name, redaction); });
    if (hidden_.arguments) hide_arguments(*reader, redaction);
  }
  return redaction;
}

}  // namespace prof::cli
