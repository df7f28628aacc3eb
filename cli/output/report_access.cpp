#include "cli/output/report_access.hpp"

#include <fmt/format.h>

#include "cli/failure.hpp"
#include "cli/output/left_over.hpp"
#include "cli/output/message.hpp"

namespace prof::cli {

report::ReportReader open_report(const std::string& path, bool quiet) {
  if (!quiet) report_left_overs({path}, path);  // first: the report may be missing because of that
  auto reader = take(report::ReportReader::open(path));
  const auto schema = reader.schema_version();
  if (schema && *schema > report::kKnownSchema && !quiet)
    fmt::print(
        stderr,
        "prof: {} has schema {}, newer than this prof knows ({}). Tables or columns with new "
        "meanings may be misread.\n",
        path, *schema, report::kKnownSchema);
  return reader;
}

void close_report(const report::ReportReader& reader) {
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
  check(reader.finish());
}

}  // namespace prof::cli
