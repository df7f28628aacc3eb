#include "exporters/viewer/file/file_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <queue>
#include <set>
#include <vector>

#include "exporters/viewer/answers/outcome.hpp"
#include "exporters/viewer/answers/row_parameters.hpp"
#include "exporters/viewer/file/page_file.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

namespace {

using nlohmann::json;
using timeline::Event;
using Values = std::map<std::string, std::string, std::less<>>;

constexpr std::size_t kMaxDetails = 5000;

Outcome<std::string> ask(const Answers& answers, std::string_view name, Values values = {}) {
  const Handler* handler = Answers::find(name);
  if (handler == nullptr) return fault(404, "there is no " + std::string(name));
  auto answer = answers.get(*handler, Parameters(std::move(values)));
  if (!answer) return tl::make_unexpected(answer.error());
  return std::move(answer->body);
}

bool is_whole(timeline::Span span) {
  return span.start == timeline::Span().start && span.end == timeline::Span().end;
}

Values span_values(timeline::Span span) {
  if (is_whole(span)) return {};
  return {{"from", std::to_string(span.start)}, {"to", std::to_string(span.end)}};
}

timeline::Span common(timeline::Span a, timeline::Span b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}

// Adds an answer if the report has it. An answer that cannot be made is {"error": TEXT}.
void add_answer(Json& out, const Answers& answers, std::string_view key, std::string_view name,
                Values values) {
  const auto answer = ask(answers, name, std::move(values));
  if (answer)
    out.key(key).ready(*answer);
  else if (answer.error().status != 404)
    out.key(key).begin_object().pair("error", answer.error().text).end_object();
}

// Adds each statistic as "REPORT:NAME".
void add_statistics(Json& out, const Answers& answers, const std::string& report,
                    timeline::Span span) {
  const auto list = ask(answers, "statistics", {{"report", report}});
  if (!list) return;
  const json known = json::parse(*list);
  for (const json& each : known["statistics"]) {
    const auto name = each["name"].get<std::string>();
    Values values = span_values(span);
    values["report"] = report;
    values["name"] = name;
    // The page of a kernel selects its rows from these.
    if (name.starts_with("kernel_") || name.starts_with("pc_sampling_")) values["limit"] = "100000";
    add_answer(out, answers, report + ":" + name, "statistic", values);
  }
}

// Adds each flame graph as "REPORT:KIND", with the samples, so that the page has graphs of parts.
void add_flames(Json& out, const Answers& answers, const std::string& report, timeline::Span span) {
  for (const char* kind : {"cpu", "python", "osrt", "cuda"}) {
    Values values = span_values(span);
    values["report"] = report;
    values["kind"] = kind;
    values["list"] = "1";
    add_answer(out, answers, report + ":" + kind, "flame", values);
  }
}

// Adds the thread or the process that the row belongs to, by which the page selects samples.
void add_owner(json& answer, const timeline::Row& row) {
  if (row.thread)
    answer["thread"] = std::to_string(*row.thread);
  else if (row.process)
    answer["process"] = std::to_string(*row.process);
}

// Returns the longest events of the span. Of equally long events the first ones are taken.
std::vector<Event> longest_events(const timeline::Snapshot& snapshot, timeline::Span span) {
  const auto is_longer = [](const Event& a, const Event& b) { return a.duration() > b.duration(); };
  std::priority_queue<Event, std::vector<Event>, decltype(is_longer)> longest(is_longer);
  for (const timeline::Row& row : snapshot.rows())
    snapshot.visit(row.id, span, [&](const Event& event) {
      if (longest.size() < kMaxDetails) {
        longest.push(event);
      } else if (is_longer(event, longest.top())) {
        longest.pop();
        longest.push(event);
      }
      return true;
    });
  std::vector<Event> events;
  for (; !longest.empty(); longest.pop()) events.push_back(longest.top());
  return events;
}

}  // namespace

Outcome<std::string> rows_part(const Answers& answers, timeline::Span span,
                               const EventCounts& counts) {
  auto text = ask(answers, "rows");
  if (!text) return text;
  json rows = json::parse(*text);
  const auto snapshot = answers.sources().timeline->snapshot();
  for (json& row : rows["rows"]) add_owner(row, *snapshot->row(row["id"].get<timeline::RowId>()));
  if (!is_whole(span)) {
    const timeline::Span shown = common(span, snapshot->span());
    rows["span"] = {{"start", shown.start}, {"end", std::max(shown.start, shown.end)}};
    std::set<timeline::RowId> used;  // the used rows and all rows above them
    for (const auto& [id, count] : counts)
      for (const timeline::Row* row = snapshot->row(id); row != nullptr;
           row = snapshot->row(row->parent))
        if (!used.insert(row->id).second) break;
    json kept = json::array();
    for (json& row : rows["rows"]) {
      const auto id = row["id"].get<timeline::RowId>();
      if (row["style"] != "counter" && !used.contains(id)) continue;
      std::uint64_t events = 0;
      for (const timeline::RowId each : snapshot->with_rows_below(id))
        if (const auto found = counts.find(each); found != counts.end()) events += found->second;
      row["events"] = events;
      kept.push_back(std::move(row));
    }
    rows["rows"] = std::move(kept);
    constexpr double kSecond = 1e9;
    rows["messages"].push_back(fmt::format(
        "This file shows {:.6f} s to {:.6f} s of the report, and statistics of that. The "
        "start page is about all of it.",
        static_cast<double>(shown.start) / kSecond, static_cast<double>(shown.end) / kSecond));
  }
  rows["messages"].push_back(kFileNotice);
  return rows.dump();
}

std::string names_part(const Answers& answers) {
  const auto snapshot = answers.sources().timeline->snapshot();
  const auto size = static_cast<std::uint32_t>(snapshot->names().size());
  Json out;
  out.begin_list();
  for (std::uint32_t number = 0; number < size; ++number) add_name(out, snapshot->names(), number);
  out.end_list();
  return out.take();
}

std::string answers_part(const Answers& answers, timeline::Span span) {
  Json out;
  out.begin_object();
  const std::size_t reports = answers.sources().reports.size();
  const auto add_of_reports = [&](const char* key, const auto& add) {
    out.key(key).begin_object();
    for (std::size_t i = 0; i < reports; ++i) add(std::to_string(i));
    out.end_object();
  };
  add_of_reports("summary", [&](const std::string& report) {
    add_answer(out, answers, report, "summary", {{"report", report}, {"wait", "1"}});
  });
  add_of_reports("statistics", [&](const std::string& report) {
    add_answer(out, answers, report, "statistics", {{"report", report}});
  });
  add_of_reports("statistic",
                 [&](const std::string& report) { add_statistics(out, answers, report, span); });
  add_of_reports("flame",
                 [&](const std::string& report) { add_flames(out, answers, report, span); });
  add_answer(out, answers, "sections", "sections", {});
  if (reports == 2) add_answer(out, answers, "diff", "diff", {});
  return out.end_object().take();
}

Details details_part(const Answers& answers, timeline::Span span) {
  Details details;
  Json out;
  out.begin_object();
  const auto snapshot = answers.sources().timeline->snapshot();
  for (const Event& event : longest_events(*snapshot, span)) {
    const std::string row = std::to_string(event.row), source = std::to_string(event.source),
                      id = std::to_string(event.id);
    const auto answer = ask(answers, "event", {{"row", row}, {"source", source}, {"id", id}});
    if (!answer) continue;
    out.key(row + ":" + source + ":" + id).ready(*answer);
    ++details.events;
  }
  details.part = out.end_object().take();
  return details;
}

}  // namespace prof::view
