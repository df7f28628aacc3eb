#include "cli/output/report_access.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/left_over.hpp"
#include "exporters/analysis/events/selection/thinning.hpp"
#include "exporters/analysis/query/named_views.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_sqlite(const std::string& path) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string head(kMagic.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == kMagic;
}

std::string without_ending_of_nsys(const std::string& name) {
  for (const std::string_view ending : {".nsys-rep", ".qdrep"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

}  // namespace

std::string find_report_file(const std::string& name) {
  const std::string base = without_ending_of_nsys(name);
  const bool is_there = is_file(name);
  if (is_there && (base == name || is_sqlite(name))) return name;
  std::vector<std::string> endings = {".db", ".sqlite"};
  if (is_there) endings = {".sqlite"};  // a report of nsys: X.db is of another recording
  for (const std::string& ending : endings)
    if (is_file(base + ending)) return base + ending;
  return name;
}

bool looks_like_report(const std::string& name) {
  const std::string path = find_report_file(name);
  if (!is_file(path)) return false;
  for (const char* ending : {".db", ".sqlite", ".nsys-rep", ".qdrep"})
    if (path.ends_with(ending)) return true;
  return is_sqlite(path);
}

report::ReportReader open_report(const std::string& path, bool quiet) {
  if (!quiet) report_left_overs({path}, path);  // first: it may explain a missing report
  auto opened = report::ReportReader::open(path);
  if (!opened) throw Failure(opened.error().message, kFailed, "no_report");
  report::ReportReader reader = *std::move(opened);
  const auto schema = reader.schema_version();
  if (schema && *schema > report::kKnownSchema && !quiet)
    fmt::print(
        stderr,
        "prof: {} has schema {}, newer than this prof knows ({}). Tables or columns with new "
        "meanings may be misread.\n",
        path, *schema, report::kKnownSchema);
  if (std::string thinned = events::thinning_summary(reader); !thinned.empty())
    reader.remark(std::move(thinned));
  return reader;
}

report::ReportReader open_report_with_views(const std::string& path) {
  auto reader = open_report(path, true);
  check(query::make_named_views(reader));
  return reader;
}

void print_remarks(const report::ReportReader& reader) {
  for (const auto& [table, events] : reader.faulty())
    print_message(
        "prof: {}: ignored {} rows of {} that end before they start or lack a time. The file may "
        "be damaged.\n",
        reader.path(), events, table);
  for (const auto& [table, frames] : reader.too_deep())
    print_message(
        "prof: {}: ignored {} rows of {} in call chains that are too long. The file may be "
        "damaged.\n",
        reader.path(), frames, table);
  for (const std::string& remark : reader.remarks())
    print_message("prof: {}: {}\n", reader.path(), remark);
}

void close_report(const report::ReportReader& reader) {
  print_remarks(reader);
  check(reader.finish());
}

}  // namespace prof::cli
