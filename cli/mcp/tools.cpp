#include "cli/mcp/tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "cli/mcp/arguments.hpp"
#include "cli/mcp/comparison.hpp"
#include "cli/mcp/statistic.hpp"
#include "cli/messages/failure.hpp"
#include "cli/output/findings/fact_sheet.hpp"
#include "cli/output/options/token_budget.hpp"
#include "cli/output/report_access.hpp"
#include "exporters/analysis/claims/check_claims.hpp"
#include "exporters/analysis/query/named_views.hpp"
#include "exporters/analysis/query/query.hpp"
#include "exporters/mcp/timeline.hpp"

namespace prof::cli {

namespace {

using mcp::Object;
using mcp::Tool;
using mcp::ToolResult;

constexpr std::size_t kMaxRows = 200;
constexpr std::size_t kMaxBytes = 40'000;  // of an answer

Object schema(Object properties, std::vector<std::string> required) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

Object text(const char* description) { return {{"type", "string"}, {"description", description}}; }
Object number(const char* description) {
  return {{"type", "integer"}, {"description", description}};
}
Object report_argument() { return text("path or id that the tool reports lists"); }

ToolResult structured(const std::string& json) { return {Object::parse(json)}; }

ToolResult list_reports(const ClientReports& reports) {
  Object list = Object::array();
  for (const ClientReports::Listed& each : reports.list())
    list.push_back({{"id", each.id}, {"path", each.path}, {"bytes", each.bytes}});
  return {{{"reports", std::move(list)}}};
}

ToolResult facts_of(const Arguments& arguments) {
  const auto tokens = static_cast<std::size_t>(arguments.integer("budget", 2'000, 50, 10'000));
  return structured(facts::facts_json(
      read_fact_sheet({arguments.text("report")}, SourceLines::kNone), tokens * kTokenBytes));
}

// Opens a report with the named views.
report::ReportReader open_with_views(const Arguments& arguments) {
  auto reader = open_report(arguments.text("report"), true);
  check(query::make_named_views(reader));
  return reader;
}

ToolResult run_query(const Arguments& arguments) {
  const auto reader = open_with_views(arguments);
  const auto rows = static_cast<std::size_t>(arguments.integer("rows", 50, 1, kMaxRows));
  return structured(
      query::query_json(take(query::run_query(reader, {arguments.text("sql"), rows, kMaxBytes}))));
}

ToolResult check_claims(const Arguments& arguments) {
  const std::string report = arguments.text("report");
  const facts::FactSheet sheet = read_fact_sheet({report}, SourceLines::kNone);
  const auto reader = open_with_views(arguments);
  std::vector<claims::Checked> checked;
  for (const std::string& each : arguments.texts("claims"))
    checked.push_back(take(claims::check_claim(reader, sheet, take(claims::parse_claim(each)))));
  return structured(claims::checked_json(checked));
}

// Returns the use of each bin as a digit: "0" nothing, "9" nearly all of the
// time.
std::string digits_of(const mcp::Lane& lane) {
  std::string digits;
  for (const double use : lane.use)
    digits += use <= 0 ? '0' : static_cast<char>('1' + std::min(8, static_cast<int>(use * 9)));
  return digits;
}

ToolResult draw_timeline(const Arguments& arguments) {
  constexpr std::size_t kTextBins = 60;
  constexpr std::size_t kPictureBins = 1'000;
  constexpr std::size_t kLanes = 4;  // of a kind
  const auto reader = open_with_views(arguments);
  mcp::Span span = take(mcp::whole_span(reader));
  span.start = arguments.integer("start_ns", span.start, INT64_MIN / 4, INT64_MAX / 4);
  span.end = arguments.integer("end_ns", span.end, INT64_MIN / 4, INT64_MAX / 4);
  if (span.start >= span.end) throw Failure("end_ns is not after start_ns");
  Object lanes = Object::array();
  for (const mcp::Lane& each : take(mcp::lanes_of(reader, span, kTextBins, kLanes)))
    lanes.push_back({{"lane", lanes.size() + 1},
                     {"kind", each.kind},
                     {"place", each.place},
                     {"events", each.events},
                     {"use", digits_of(each)}});
  ToolResult result{{{"start_ns", span.start}, {"end_ns", span.end}, {"lanes", std::move(lanes)}}};
  if (arguments.flag("image"))
    result.png = take(mcp::png_of(take(mcp::lanes_of(reader, span, kPictureBins, kLanes))));
  return result;
}

Object timeline_schema() {
  return schema({{"report", report_argument()},
                 {"start_ns", number("default: the first event")},
                 {"end_ns", number("default: the last event")},
                 {"image", {{"type", "boolean"}}}},
                {"report"});
}

using Call = std::function<ToolResult(const Arguments& arguments)>;

// Puts the files that a client may read in place of the names in the arguments. Returns the files.
std::vector<std::string> find_files(const ClientReports& reports, Object& arguments) {
  std::vector<std::string> files;
  for (const char* name : {"report", "before", "after"})
    if (const auto each = arguments.find(name); each != arguments.end() && each->is_string()) {
      files.push_back(reports.file(each->get<std::string>()));
      *each = files.back();
    }
  return files;
}

// Returns a tool whose failures are texts for the model.
Tool tool(const ClientReports& reports, const char* name, const char* description, Object input,
          Call call) {
  return {name, description, std::move(input),
          [&reports, call = std::move(call)](Object arguments) -> base::Result<ToolResult> {
            mcp::Redaction redaction = reports.redaction({});
            try {
              redaction = reports.redaction(find_files(reports, arguments));
              ToolResult result = call(Arguments(arguments));
              result.structured = redaction.json(result.structured);
              return result;
            } catch (const std::exception& error) {
              return base::fail(redaction.text(error.what()));
            }
          }};
}

}  // namespace

std::vector<Tool> mcp_tools(const ClientReports& reports) {
  std::vector<Tool> tools;
  const auto add = [&](const char* name, const char* description, Object input, Call call) {
    tools.push_back(tool(reports, name, description, std::move(input), std::move(call)));
  };
  add("reports", "Lists the reports that can be read", schema(Object::object(), {}),
      [&reports](const Arguments&) { return list_reports(reports); });
  add("facts",
      "What costs time in a report: findings with ns, share, basis, place, "
      "rows, SQL and remedy; "
      "and what the report cannot answer",
      schema({{"report", report_argument()}, {"budget", number("tokens, default 2000")}},
             {"report"}),
      facts_of);
  add("statistic",
      "A table of a report, such as cuda_gpu_kern_sum, nvtx_sum, osrt_sum. "
      "Without a name: the "
      "statistics that the report has data for",
      schema({{"report", report_argument()},
              {"name", text("of the statistic")},
              {"rows", number("at most, default 20")}},
             {"report"}),
      statistic_of);
  add("query",
      "Runs one SELECT (SQLite) in a sandbox. Views: kernels(id, start, end, "
      "dur, name, device, "
      "stream, ...), copies(kind, bytes, dur, ...), calls(name, api, dur, pid, "
      "tid, ...), "
      "ranges(name, dur, ...), samples(time, function, ...), threads. Times "
      "are in ns. PRAGMA "
      "table_info(T) has the columns",
      schema({{"report", report_argument()},
              {"sql", text("one statement")},
              {"rows", number("at most, default 50")}},
             {"report", "sql"}),
      run_query);
  add("check",
      "Verifies claims: supported, contradicted or not measurable. For example "
      "\"launch_bound.share > 0.5\", \"cause = data_loading\", "
      "\"kernel('gemm*').total < 3ms\", "
      "\"count(kernel('nchw*')) = 79\", \"range('step').median between 1ms and "
      "2ms\"",
      schema({{"report", report_argument()},
              {"claims", {{"type", "array"}, {"items", {{"type", "string"}}}}}},
             {"report", "claims"}),
      check_claims);
  add("compare", "What changed between two reports, by name, the largest change first",
      schema({{"before", report_argument()},
              {"after", report_argument()},
              {"rows", number("at most, default 20")}},
             {"before", "after"}),
      comparison_of);
  add("timeline",
      "How busy GPUs and threads are in a span: 60 digits for each lane, 0 "
      "idle to 9 busy. With "
      "image also a picture (PNG) whose numbers are those of the lanes",
      timeline_schema(), draw_timeline);
  return tools;
}

}  // namespace prof::cli
