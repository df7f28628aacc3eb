#include "exporters/analysis/facts/changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/diagnosis_json.hpp"

namespace prof::facts {

namespace {

using Object = nlohmann::ordered_json;

// A number of a whole report.
struct Figure {
  const char* quantity;
  const char* unit;
  std::int64_t before;
  std::int64_t after;
};

std::vector<Figure> figures_of(const diff::Comparison& comparison) {
  const auto& [before, after, changes] = comparison;
  std::vector<Figure> figures;
  const auto add = [&](const char* quantity, const char* unit, std::optional<std::int64_t> first,
                       std::optional<std::int64_t> second) {
    if (first && second) figures.push_back({quantity, unit, *first, *second});
  };
  const diff::Durations times = diff::durations(before, after);
  add(times.of_session ? "session_time" : "gpu_span", "ns", times.before, times.after);
  if (before.gpus > 0 || after.gpus > 0) {
    add("gpu_busy_time", "ns", before.gpu_busy, after.gpu_busy);
    add("kernels", "1", before.kernels, after.kernels);
  }
  add("cpu_time", "ns", before.cpu_time, after.cpu_time);
  add("context_switches", "1", before.switches, after.switches);
  return figures;
}

class ChangeDocument {
 public:
  ChangeDocument(const ChangeSheet& sheet, std::size_t changes)
      : sheet_(sheet), changes_(changes) {}

  Object make() {
    Object object = {{"schema", "prof.facts/1"},
                     {"report", subject(sheet_.after)},
                     {"base", subject(sheet_.before)},
                     {"facts", Object::array()}};
    Object& facts = object["facts"];
    for (const Figure& each : figures_of(sheet_.comparison))
      facts.push_back(change(facts.size() + 1, each));
    const std::size_t all = sheet_.comparison.changes.size();
    for (std::size_t i = 0; i < changes_; ++i) {
      if (sheet_.comparison.changes[i].difference() == 0) continue;
      facts.push_back(name_change(facts.size() + 1, i));
    }
    if (!queries_.empty()) object["queries"] = queries_;
    object["names"] = analyze::names_json(names_);
    if (changes_ < all) object["dropped"] = {{"facts", all - changes_}, {"see", "--budget"}};
    return object;
  }

 private:
  static Object subject(const Subject& of) { return {{"id", of.id}, {"reports", of.reports}}; }

  static Object change(std::size_t number, const Figure& figure) {
    Object object = {{"id", fmt::format("f{}", number)},
                     {"kind", "change"},
                     {"quantity", figure.quantity},
                     {"value", figure.after - figure.before},
                     {"unit", figure.unit},
                     {"before", figure.before},
                     {"after", figure.after}};
    if (figure.before != 0)
      object["relative"] = std::stod(fmt::format(
          "{:.6g}", static_cast<double>(figure.after) / static_cast<double>(figure.before) - 1));
    object["basis"] = name_of(Basis::kDerived);
    return object;
  }

  Object name_change(std::size_t number, std::size_t index) {
    const diff::Change& each = sheet_.comparison.changes[index];
    Object object = change(number, {"time", "ns", each.before.time, each.after.time});
    object["category"] = each.category->name;
    object["subject"] = fmt::format("n{}", names_.number_of(each.category->name, each.name));
    object["status"] = diff::status(each);
    object["count_before"] = each.before.count;
    object["count_after"] = each.after.count;
    if (index >= sheet_.queries.size()) return object;
    const ChangeQueries& queries = sheet_.queries[index];
    if (!queries.before.empty() || !queries.after.empty())
      object["basis"] = name_of(Basis::kMeasured);
    if (!queries.before.empty())
      object["sql"]["before"] = query_id("base", queries.before, each.before.time);
    if (!queries.after.empty())
      object["sql"]["after"] = query_id("report", queries.after, each.after.time);
    return object;
  }

  std::string query_id(const char* report, const std::string& sql, std::int64_t value) {
    std::string name = fmt::format("q{}", queries_.size() + 1);
    queries_[name] = {{"report", report}, {"sql", sql}, {"value", value}, {"unit", "ns"}};
    return name;
  }

  const ChangeSheet& sheet_;
  std::size_t changes_;
  base::NameList names_;
  Object queries_ = Object::object();
};

std::string change_text(const Object& fact) {
  std::string text = fmt::format("{} ", fact["id"].get<std::string>());
  if (fact.contains("category"))
    text += fmt::format("{} {{{}}} ", fact["category"].get<std::string>(),
                        fact["subject"].get<std::string>());
  text += fmt::format("{}: {:+} {}, {} -> {}", fact["quantity"].get<std::string>(),
                      fact["value"].get<std::int64_t>(), fact["unit"].get<std::string>(),
                      fact["before"].get<std::int64_t>(), fact["after"].get<std::int64_t>());
  if (fact.contains("relative"))
    text += fmt::format(" ({:+.1f} %)", 100 * fact["relative"].get<double>());
  if (fact.contains("status"))
    text += fmt::format(", {}, {} -> {} times", fact["status"].get<std::string>(),
                        fact["count_before"].get<std::int64_t>(),
                        fact["count_after"].get<std::int64_t>());
  return text + '\n';
}

std::string document_text(const Object& document) {
  std::string text;
  for (const Object& each : document["facts"]) text += change_text(each);
  text += analyze::names_text(document["names"]);
  if (document.contains("dropped"))
    text += fmt::format("\ndropped {}\n", document["dropped"].dump());
  return text;
}

// Returns the largest document of which `print` returns at most `bytes` bytes.
template <class Print>
std::string changes_within(const ChangeSheet& sheet, std::size_t bytes, Print print) {
  std::size_t changes = sheet.comparison.changes.size();
  std::string text = print(ChangeDocument(sheet, changes).make());
  if (bytes == 0 || text.size() <= bytes) return text;
  // With thousands of names one attempt for each of them would take long.
  std::size_t least = 0;
  while (least < changes) {
    const std::size_t middle = least + (changes - least + 1) / 2;
    if (print(ChangeDocument(sheet, middle).make()).size() <= bytes)
      least = middle;
    else
      changes = middle - 1;
  }
  return print(ChangeDocument(sheet, least).make());
}

struct NameColumn {
  std::string_view category;
  const char* column;
};
constexpr NameColumn kNameColumns[] = {
    {"kernel", "demangledName"}, {"api", "nameId"}, {"osrt", "nameId"}};

// Returns a query for the time of a name, if it gives the time.
std::string sql_of(const report::ReportReader& reader, const diff::Change& change,
                   std::int64_t time) {
  const auto* const column = std::ranges::find(
      kNameColumns, std::string_view(change.category->name), &NameColumn::category);
  if (column == std::end(kNameColumns) || time == 0) return {};
  auto texts =
      reader.prepare("SELECT id FROM StringIds WHERE value = ?1 OR value GLOB ?1 || '_v*'");
  if (!texts) return {};
  texts->bind(1, change.name);
  std::vector<std::int64_t> ids;
  constexpr std::size_t kMaxIds = 20;
  for (auto row = texts->step(); row && *row; row = texts->step()) ids.push_back(texts->integer(0));
  if (ids.empty() || ids.size() > kMaxIds) return {};
  std::string sql = fmt::format("SELECT sum(\"end\" - start), count(*) FROM {} WHERE {} IN ({})",
                                change.category->table, column->column, fmt::join(ids, ", "));
  auto sum = reader.prepare(sql);
  if (!sum) return {};
  const auto row = sum->step();
  return row && *row && sum->integer(0) == time ? sql : std::string();
}

}  // namespace

void add_queries(const report::ReportReader& before, const report::ReportReader& after,
                 ChangeSheet& sheet) {
  constexpr std::size_t kMaxChanges = 10;  // each takes a scan of two tables
  const auto& changes = sheet.comparison.changes;
  for (std::size_t i = 0; i < std::min(changes.size(), kMaxChanges); ++i)
    sheet.queries.push_back({sql_of(before, changes[i], changes[i].before.time),
                             sql_of(after, changes[i], changes[i].after.time)});
}

std::string changes_json(const ChangeSheet& sheet, std::size_t bytes) {
  return changes_within(sheet, bytes,
                        [](const Object& each) { return analyze::json_text(each, -1); });
}

std::string changes_text(const ChangeSheet& sheet, std::size_t bytes) {
  return changes_within(sheet, bytes, document_text);
}

}  // namespace prof::facts
