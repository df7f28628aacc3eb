// api/diff: the comparison of two reports, as in prof diff.
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/diff/comparison.hpp"
#include "exporters/analysis/diff/headline.hpp"
#include "exporters/analysis/diff/tables.hpp"
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/report/report_scope.hpp"
#include "exporters/viewer/answers/table_json.hpp"

namespace prof::view {

namespace {

constexpr double kMinChange = 1;  // percent, as in prof diff

void add_table_in(Json& json, std::string_view name, const tables::Table& table, std::size_t most) {
  json.key(name).begin_object();
  add_table(json, table, most);
  json.end_object();
}

}  // namespace

Outcome<Answer> answer_diff(const Sources& sources, const Parameters& parameters) {
  constexpr std::int64_t kUsualRows = 200;
  constexpr std::int64_t kMaxRows = 100'000;
  if (sources.reports.size() < 2)
    return fault(400, "a comparison needs two reports: prof view BEFORE AFTER");
  const auto last = static_cast<std::int64_t>(sources.reports.size()) - 1;
  const auto first_number = parameters.integer_in("before", 0, last, 0);
  if (!first_number) return tl::make_unexpected(first_number.error());
  const auto second_number = parameters.integer_in("after", 0, last, 1);
  if (!second_number) return tl::make_unexpected(second_number.error());
  const auto limit = parameters.integer_in("limit", 1, kMaxRows, kUsualRows);
  if (!limit) return tl::make_unexpected(limit.error());

  const ServedReport& before = sources.reports[static_cast<std::size_t>(*first_number)];
  const ServedReport& after = sources.reports[static_cast<std::size_t>(*second_number)];
  const auto first = before.read();
  if (!first) return tl::make_unexpected(first.error());
  const auto second = after.read();
  if (!second) return tl::make_unexpected(second.error());
  auto comparison = diff::compare(*first, *second, {.categories = diff::usual_categories()});
  if (!comparison) return fault(400, comparison.error().message);
  for (const auto& [report, reader] : {std::pair(&before, &*first), std::pair(&after, &*second)})
    if (const auto sound = report->readable(*reader); !sound)
      return tl::make_unexpected(sound.error());

  Json json;
  json.begin_object()
      .pair("before", before.path())
      .pair("after", after.path())
      .key("headline")
      .begin_list();
  for (const std::string& line : diff::headline(*comparison)) json.value(base::without_marks(line));
  json.end_list();
  add_table_in(json, "summary", diff::summary_table(comparison->before, comparison->after),
               SIZE_MAX);
  const std::size_t small = diff::remove_small(comparison->changes, kMinChange);
  add_table_in(json, "changes", diff::changes_table(comparison->changes),
               static_cast<std::size_t>(*limit));
  json.pair("unchanged", small).end_object();
  return Answer{json.take()};
}

}  // namespace prof::view
