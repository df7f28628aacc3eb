#include "cli/mcp/tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/mcp/arguments.hpp"
#include "cli/mcp/comparison.hpp"
#include "cli/mcp/statistic.hpp"
#include "cli/messages/failure.hpp"
#include "cli/options/arguments.hpp"
#include "cli/output/findings/fact_sheet.hpp"
#include "cli/output/options/token_budget.hpp"
#include "cli/output/report_access.hpp"
#include "exporters/analysis/claims/check_claims.hpp"
#include "exporters/analysis/facts/topics.hpp"
#include "exporters/analysis/query/query.hpp"
#include "exporters/mcp/timeline.hpp"

namespace prof::cli {

namespace {

using mcp::Object;
using mcp::Tool;
using mcp::ToolResult;

constexpr std::size_t kMaxBytes = 40'000;  // of an answer

Object schema(Object properties, std::vector<std::string> required) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

Object text(const char* description) { return {{"type", "string"}, {"description", description}}; }
Object number(const char* description) {
  return {{"type", "integer"}, {"description", description}};
}
Object type(const char* name) { return {{"type", name}}; }
Object list_of(const char* items) { return {{"type", "array"}, {"items", type(items)}}; }
Object report_argument() { return text("path or id that the tool reports lists"); }
Object offset_argument() { return number("rows to skip: next_offset of the page before"); }

ToolResult structured(const std::string& json) { return {Object::parse(json)}; }

ToolResult list_reports(const ClientReports& reports, const Arguments& arguments) {
  const Page page(arguments, 200);
  const ClientReports::ListedPage listed = reports.list(page.offset, page.rows);
  Object list = Object::array();
  for (const ClientReports::Listed& each : listed.reports)
    list.push_back({{"id", each.id}, {"path", each.path}, {"bytes", each.bytes}});
  ToolResult result{{{"reports", std::move(list)}}};
  page.add_next(listed.next.has_value(), page.rows, result.structured);
  return result;
}

std::vector<facts::Topic> topics_of(const Arguments& arguments) {
  std::vector<facts::Topic> topics;
  for (const std::string& each : arguments.texts_or_none("topics")) {
    const auto topic = facts::find_topic(each);
    if (!topic)
      throw Failure("there is no such topic" +
                    suggestion(each, {facts::topic_names().begin(), facts::topic_names().end()}));
    topics.push_back(*topic);
  }
  return topics;
}

ToolResult facts_of(const Arguments& arguments) {
  const auto tokens = static_cast<std::size_t>(arguments.integer("budget", 2'000, 50, 10'000));
  return structured(facts::facts_json(
      read_fact_sheet({arguments.text("report")}, SourceLines::kNone, topics_of(arguments)),
      tokens * kTokenBytes));
}

// Opens a report with the named views.
report::ReportReader open_with_views(const Arguments& arguments) {
  return open_report_with_views(arguments.text("report"));
}

ToolResult run_query(const Arguments& arguments) {
  const auto reader = open_with_views(arguments);
  const Page page(arguments, 50);
  query::Request request{arguments.text("sql"), page.rows, kMaxBytes};
  request.skipped = page.offset;
  request.stop = arguments.stop();
  const query::QueryResult answer = take(query::run_query(reader, request));
  ToolResult result = structured(query::query_json(answer));
  const bool has_more = answer.cut == query::Cut::kRows || answer.cut == query::Cut::kBudget;
  page.add_next(has_more, answer.table.rows.size(), result.structured);
  return result;
}

ToolResult check_claims(const Arguments& arguments) {
  const std::string report = arguments.text("report");
  const facts::FactSheet sheet = read_fact_sheet({report}, SourceLines::kNone);
  const auto reader = open_with_views(arguments);
  std::vector<claims::Checked> checked;
  for (const std::string& each : arguments.texts("claims"))
    if (!arguments.stop().stop_requested())
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

Object timeline_result() {
  return schema(
      {{"start_ns", type("integer")}, {"end_ns", type("integer")}, {"lanes", list_of("object")}},
      {"start_ns", "end_ns", "lanes"});
}

Object topic_schema() {
  Object names = Object::array();
  for (const std::string_view each : facts::topic_names()) names.push_back(each);
  return {{"type", "array"}, {"items", {{"enum", std::move(names)}}}};
}

// The whole schema is share/prof/schema/facts.json, which is too long for a list of tools.
Object facts_schema() {
  return schema({{"schema", type("string")},
                 {"report", type("object")},
                 {"time", type("object")},
                 {"verdict", type("object")},
                 {"facts", list_of("object")},
                 {"queries", type("object")},
                 {"cannot", list_of("object")},
                 {"names", type("object")},
                 {"dropped", type("object")}},
                {"schema", "report", "time", "facts", "cannot", "names"});
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
          Object output, Call call) {
  return {name, description, std::move(input), std::move(output),
          [&reports, call = std::move(call)](
              Object arguments, const std::stop_token& stop) -> base::Result<ToolResult> {
            mcp::Redaction redaction = reports.redaction({});
            try {
              redaction = reports.redaction(find_files(reports, arguments));
              ToolResult result = call(Arguments(arguments, stop));
              result.structured = redaction.json(result.structured);
              return result;
            } catch (const std::exception& error) {
              return base::fail(redaction.text(error.what()));
            }
          }};
}

class ToolList {
 public:
  explicit ToolList(const ClientReports& reports) : reports_(reports) {}

  void add(const char* name, const char* description, Object input, Object output, Call call) {
    tools.push_back(
        tool(reports_, name, description, std::move(input), std::move(output), std::move(call)));
  }

  std::vector<Tool> tools = {};

 private:
  const ClientReports& reports_;
};

void add_tables(ToolList& list) {
  list.add("statistic",
           "A table of a report, such as cuda_gpu_kern_sum, nvtx_sum, osrt_sum. Without a name: "
           "the statistics that the report has data for",
           schema({{"report", report_argument()},
                   {"name", text("of the statistic")},
                   {"rows", number("at most, default 20")},
                   {"offset", offset_argument()}},
                  {"report"}),
           schema({{"statistics", list_of("object")}, {"rows", list_of("object")}}, {}),
           statistic_of);
  list.add("query",
           "Runs one SELECT (SQLite) in a sandbox. Views: kernels(id, start, end, dur, name, "
           "device, stream, ...), copies(kind, bytes, dur, ...), calls(name, api, dur, pid, tid, "
           "...), ranges(name, dur, ...), samples(time, function, ...), threads. Times are in ns. "
           "PRAGMA table_info(T) has the columns",
           schema({{"report", report_argument()},
                   {"sql", text("one statement")},
                   {"rows", number("at most, default 50")},
                   {"offset", offset_argument()}},
                  {"report", "sql"}),
           schema({{"columns", list_of("object")},
                   {"rows", list_of("array")},
                   {"truncated", type("boolean")}},
                  {"columns", "rows", "truncated"}),
           run_query);
}

void add_judgements(ToolList& list) {
  list.add(
      "check",
      "Verifies claims: supported, contradicted or not measurable. For example "
      "\"launch_bound.share > 0.5\", \"cause = data_loading\", \"kernel('gemm*').total < "
      "3ms\", \"count(kernel('nchw*')) = 79\", \"range('step').median between 1ms and "
      "2ms\"",
      schema({{"report", report_argument()}, {"claims", list_of("string")}}, {"report", "claims"}),
      schema({{"claims", list_of("object")}}, {"claims"}), check_claims);
  list.add("compare", "What changed between two reports, by name, the largest change first",
           schema({{"before", report_argument()},
                   {"after", report_argument()},
                   {"rows", number("at most, default 20")},
                   {"offset", offset_argument()}},
                  {"before", "after"}),
           schema({{"summary", list_of("object")}, {"changes", list_of("object")}},
                  {"summary", "changes"}),
           comparison_of);
  list.add("timeline",
           "How busy GPUs and threads are in a span: 60 digits for each lane, 0 idle to 9 busy. "
           "With image also a picture (PNG) whose numbers are those of the lanes",
           timeline_schema(), timeline_result(), draw_timeline);
}

}  // namespace

std::vector<Tool> mcp_tools(const ClientReports& reports) {
  ToolList list(reports);
  list.add("reports", "Lists the reports that can be read",
           schema({{"offset", offset_argument()}}, {}),
           schema({{"reports", list_of("object")}}, {"reports"}),
           [&reports](const Arguments& arguments) { return list_reports(reports, arguments); });
  list.add("facts",
           "What costs time in a report: findings with ns, share, basis, place, rows, SQL and "
           "remedy; and what the report cannot answer",
           schema({{"report", report_argument()},
                   {"topics", topic_schema()},
                   {"budget", number("tokens, default 2000")}},
                  {"report"}),
           facts_schema(), facts_of);
  add_tables(list);
  add_judgements(list);
  return std::move(list.tools);
}

}  // namespace prof::cli
