#include "cli/mcp/resources.hpp"

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/documents/documents.hpp"
#include "cli/messages/failure.hpp"
#include "cli/output/report_access.hpp"
#include "exporters/analysis/info/report_info.hpp"
#include "exporters/analysis/query/named_views.hpp"
#include "exporters/analysis/query/table_schema.hpp"

namespace prof::cli {

namespace {

using mcp::Object;
using Content = mcp::Resources::Content;

constexpr std::string_view kScheme = "prof://";
constexpr const char* kJsonType = "application/json";
constexpr const char* kTextType = "text/plain";
constexpr const char* kMarkdownType = "text/markdown";
constexpr const char* kOverview = "What ran, where, with which options, and what the report holds";
constexpr const char* kDiagnostics = "What was lost, switched off or not seen while recording";

struct Document {
  const char* name;
  const char* file;
  const char* description;
};
constexpr Document kDocuments[] = {
    {"findings", "findings.md", "How verdicts and findings are made"},
    {"statistics", "statistics.md", "The statistics, their columns and how they are computed"},
    {"schema", "schema.md", "The tables of reports"},
    {"profile", "prof-profile.md", "How to record: the manual page of prof profile"},
};

[[noreturn]] void fail_not_found() { throw Failure("there is no such resource"); }

Content document_of(std::string_view name) {
  for (const Document& each : kDocuments)
    if (name == each.name) return {kMarkdownType, find_document(each.file)};
  fail_not_found();
}

Content json_content(const Object& value) {
  return {kJsonType, value.dump(-1, ' ', false, Object::error_handler_t::replace)};
}

// Without what other resources have, and without commands, which are for people.
Content overview_of(const info::ReportInfo& info) {
  Object overview = Object::parse(info::info_json(info));
  overview["diagnostics"] = overview["diagnostics"].size();
  overview.erase("next");
  return json_content(overview);
}

Content diagnostics_of(const info::ReportInfo& info) {
  constexpr std::size_t kMost = 200;
  const Object all = Object::parse(info::info_json(info))["diagnostics"];
  Object first = Object::array();
  for (const Object& each : all)
    if (first.size() < kMost) first.push_back(each);
  return json_content({{"diagnostics", std::move(first)}, {"all_diagnostics", all.size()}});
}

Content content_of(const std::string& file, std::string_view what) {
  constexpr std::string_view kSchema = "schema/";
  auto reader = open_report(file, true);
  if (what == "overview") return overview_of(take(info::read_info(reader)));
  if (what == "diagnostics") return diagnostics_of(take(info::read_info(reader)));
  if (!what.starts_with(kSchema)) fail_not_found();
  check(query::make_named_views(reader));
  return {kTextType, take(query::table_text(reader, std::string(what.substr(kSchema.size())),
                                            query::kSchemaBytes))};
}

Content redacted(const mcp::Redaction& redaction, Content content) {
  if (content.type == kJsonType) return json_content(redaction.json(Object::parse(content.text)));
  content.text = redaction.text(content.text);
  return content;
}

// Throws Failure if there is no such resource.
Content read_resource(const ClientReports& reports, std::string_view uri) {
  if (!uri.starts_with(kScheme)) fail_not_found();
  uri.remove_prefix(kScheme.size());
  const std::size_t slash = uri.find('/');
  if (slash == std::string_view::npos) fail_not_found();
  const std::string_view what = uri.substr(slash + 1);
  if (uri.substr(0, slash) == "docs") return document_of(what);
  const std::string file = reports.file(std::string(uri.substr(0, slash)));
  return redacted(reports.redaction({file}), content_of(file, what));
}

mcp::ResourcePage list_resources(const ClientReports& reports, std::size_t first) {
  constexpr std::size_t kFiles = 100;  // of a page
  mcp::ResourcePage page;
  if (first == 0)
    for (const Document& each : kDocuments)
      page.resources.push_back(
          {"prof://docs/" + std::string(each.name), each.name, each.description, kMarkdownType});
  const ClientReports::ListedPage listed = reports.list(first, kFiles);
  for (const ClientReports::Listed& each : listed.reports) {
    const std::string uri = std::string(kScheme) + each.id;
    page.resources.push_back({uri + "/overview", each.path, kOverview, kJsonType});
    page.resources.push_back({uri + "/diagnostics", each.path, kDiagnostics, kJsonType});
  }
  page.next = listed.next;
  return page;
}

}  // namespace

mcp::Resources mcp_resources(const ClientReports& reports) {
  const auto read_as_result = [&reports](const std::string& uri) -> base::Result<Content> {
    try {
      return read_resource(reports, uri);
    } catch (const std::exception& error) {
      return base::fail(reports.redaction({}).text(error.what()));
    }
  };
  return {[&reports](std::size_t first) { return list_resources(reports, first); },
          {{"prof://{id}/overview", "overview", kOverview, kJsonType},
           {"prof://{id}/diagnostics", "diagnostics", kDiagnostics, kJsonType},
           {"prof://{id}/schema/{table}", "schema",
            "The columns of a table or view of a report, with units and meanings", kTextType}},
          read_as_result};
}

}  // namespace prof::cli
