#include "exporters/analysis/facts/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/text/marked_name.hpp"
#include "common/base/text/shell_word.hpp"
#include "exporters/analysis/analyze/findings/diagnosis_json.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::facts {

namespace {

using Object = nlohmann::ordered_json;

// How much of the facts a document has.
struct Extent {
  std::size_t facts;  // findings and statistics
  bool has_rows = true;
  bool has_queries = true;
  bool has_missing = true;
};

bool is_one_of(std::string_view rule, std::initializer_list<std::string_view> rules) {
  return std::ranges::find(rules, rule) != rules.end();
}

double six_digits(double number) {
  if (number == 0 || !std::isfinite(number)) return 0;
  return std::stod(fmt::format("{:.6g}", number));
}

// Returns the part of the time, 0 to 1.
double share_of(std::int64_t time, std::int64_t all) {
  return six_digits(tables::percent(time, all) / 100);
}

std::size_t number_of_facts(const FactSheet& sheet) {
  return sheet.diagnosis.findings.size() + sheet.statistics.size();
}

// Returns the indices of the facts that are kept: findings, then statistics. Of the findings, and
// of each topic, the last facts are left out first.
std::vector<std::size_t> kept_facts(const FactSheet& sheet, std::size_t number) {
  const std::size_t findings = sheet.diagnosis.findings.size();
  std::vector<std::pair<std::size_t, std::size_t>> places;  // within the topic, and the index
  for (std::size_t i = 0; i < findings; ++i) places.emplace_back(i, i);
  std::size_t first = 0;  // of the topic
  for (std::size_t i = 0; i < sheet.statistics.size(); ++i) {
    if (sheet.statistics[i].topic != sheet.statistics[first].topic) first = i;
    places.emplace_back(i - first, findings + i);
  }
  std::ranges::sort(places);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < number; ++i) kept.push_back(places[i].second);
  std::ranges::sort(kept);
  return kept;
}

class Document {
 public:
  Document(const FactSheet& sheet, const Extent& extent) : sheet_(sheet), extent_(extent) {}

  Object make() {
    const analyze::Diagnosis& diagnosis = sheet_.diagnosis;
    Object object = {{"schema", "prof.facts/1"},
                     {"report", {{"id", sheet_.subject.id}, {"reports", sheet_.subject.reports}}},
                     {"time", {{"value", diagnosis.span}, {"unit", "ns"}}}};
    if (sheet_.has_verdict) object["verdict"] = verdict();
    object["facts"] = Object::array();
    const std::size_t findings = diagnosis.findings.size();
    for (const std::size_t i : kept_facts(sheet_, extent_.facts))
      object["facts"].push_back(i < findings ? fact(diagnosis.findings[i], i + 1)
                                             : statistic(sheet_.statistics[i - findings], i + 1));
    if (!queries_.empty()) object["queries"] = queries_;
    object["cannot"] = Object::array();
    if (extent_.has_missing)
      for (const Missing& each : sheet_.cannot) object["cannot"].push_back(missing(each));
    object["names"] = analyze::names_json(names_);
    if (!sheet_.subject.path.empty() && !object["facts"].empty())
      object["picture"] =
          fmt::format("prof view --png picture.png --filter-time=START_NS/END_NS {}",
                      base::shell_word(sheet_.subject.path));
    add_dropped(object);
    return object;
  }

 private:
  Object verdict() {
    Object shares = Object::object();
    for (const auto& [name, share] : sheet_.diagnosis.verdict.shares)
      shares[name] = six_digits(share);
    return {{"id", verdict_word(sheet_.diagnosis)},
            {"text", names_.take_out(sheet_.diagnosis.verdict.sentence)},
            {"shares", shares}};
  }

  Object fact(const analyze::Finding& finding, std::size_t number) {
    Object object = {{"id", fmt::format("f{}", number)},
                     {"kind", "cause"},
                     {"rule", finding.rule},
                     {"value", finding.at_stake},
                     {"unit", "ns"},
                     {"share", share_of(finding.at_stake, sheet_.diagnosis.span)},
                     {"basis", name_of(basis_of(finding))},
                     {"text", names_.take_out(finding.sentence)},
                     {"evidence", names_.take_out(finding.evidence)}};
    if (finding.rank) object["rank"] = *finding.rank;
    if (finding.rank && sheet_.nodes.contains(*finding.rank))
      object["node"] = name_id("node", sheet_.nodes.at(*finding.rank));
    if (finding.gain)
      object["gain"] = {
          {"value", finding.gain->time}, {"unit", "ns"}, {"is_at_most", finding.gain->is_at_most}};
    if (finding.where) object["worst"] = analyze::where_json(*finding.where);
    if (extent_.has_rows && !finding.rows.empty())
      object["rows"] = analyze::rows_json(finding.rows);
    if (extent_.has_queries) add_queries(finding, object);
    object["remedy"] = names_.take_out(finding.remedy);
    object["verify"] = fmt::format("{}.share > {:.2g}", finding.rule,
                                   tables::percent(finding.at_stake, sheet_.diagnosis.span) / 200);
    return object;
  }

  void add_queries(const analyze::Finding& finding, Object& object) {
    for (const analyze::NumberQuery& each : finding.queries)
      object["sql"][each.number] = query_id(each.sql, each.value, "ns");
  }

  std::string query_id(const std::string& sql, std::int64_t value, const char* unit) {
    std::string name = fmt::format("q{}", queries_.size() + 1);
    queries_[name] = {{"sql", sql}, {"value", value}, {"unit", unit}};
    return name;
  }

  std::string name_id(const std::string& kind, const std::string& name) {
    return fmt::format("n{}", names_.number_of(kind, name));
  }

  Object statistic(const Statistic& each, std::size_t number) {
    Object object = {{"id", fmt::format("f{}", number)},
                     {"kind", "statistic"},
                     {"topic", name_of(each.topic)},
                     {"quantity", each.quantity}};
    if (each.name) object["subject"] = name_id(each.name->kind, each.name->text);
    if (each.other_names > 0) object["other_names"] = each.other_names;
    if (each.table != nullptr) object["table"] = each.table;
    const std::pair<const char*, std::optional<std::int64_t>> places[] = {
        {"pid", each.pid}, {"tid", each.tid}, {"device", each.device}, {"gpu", each.gpu}};
    for (const auto& [key, place] : places)
      if (place) object[key] = *place;
    object["value"] = each.value;
    object["unit"] = each.unit;
    if (each.share) {
      object["share"] = six_digits(*each.share);
      object["of"] = each.quantity;
    }
    if (each.count > 0) object["count"] = each.count;
    object["basis"] = name_of(each.basis);
    if (extent_.has_queries && !each.sql.empty())
      object["sql"]["value"] = query_id(each.sql, each.value, each.unit);
    return object;
  }

  static Object missing(const Missing& each) {
    Object object = {{"topic", each.topic}, {"why", each.why}};
    if (*each.fix != '\0') object["fix"] = each.fix;
    if (!each.rows.empty()) object["rows"] = analyze::rows_json(each.rows);
    return object;
  }

  void add_dropped(Object& object) const {
    const std::size_t all = number_of_facts(sheet_);
    if (extent_.facts < all) object["dropped"]["facts"] = all - extent_.facts;
    if (!extent_.has_rows) object["dropped"]["rows"] = true;
    if (!extent_.has_queries) object["dropped"]["queries"] = true;
    if (!extent_.has_missing && !sheet_.cannot.empty())
      object["dropped"]["cannot"] = sheet_.cannot.size();
    if (object.contains("dropped")) object["dropped"]["see"] = "--budget";
  }

  const FactSheet& sheet_;
  Extent extent_;
  base::NameList names_;
  Object queries_ = Object::object();
};

std::string quoted(const Object& value) {
  return value.dump(-1, ' ', false, Object::error_handler_t::replace);
}

std::string rows_text(const Object& rows) {
  std::string text;
  for (const Object& each : rows) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", each["table"].get<std::string>());
    for (const Object& id : each["ids"]) text += fmt::format(" {}", id.get<std::int64_t>());
  }
  return text;
}

std::string queries_text(const Object& fact, const Object& queries) {
  std::string text;
  if (fact.contains("sql"))
    for (const auto& [number, query] : fact["sql"].items()) {
      const Object& of = queries[query.get<std::string>()];
      text += fmt::format("  {} = {}: {}\n", number, of["value"].get<std::int64_t>(),
                          of["sql"].get<std::string>());
    }
  return text;
}

std::string statistic_text(const Object& fact, const Object& queries) {
  std::string text =
      fmt::format("\n{} {}", fact["id"].get<std::string>(), fact["quantity"].get<std::string>());
  if (fact.contains("subject")) text += fmt::format(" {{{}}}", fact["subject"].get<std::string>());
  if (fact.contains("table")) text += fmt::format(" {}", fact["table"].get<std::string>());
  for (const char* key : {"other_names", "pid", "tid", "device", "gpu"})
    if (fact.contains(key)) text += fmt::format(" {} {}", key, fact[key].get<std::int64_t>());
  text +=
      fmt::format(": {} {}", fact["value"].get<std::int64_t>(), fact["unit"].get<std::string>());
  if (fact.contains("share"))
    text += fmt::format(", {:.1f} % of {}", 100 * fact["share"].get<double>(),
                        fact["of"].get<std::string>());
  if (fact.contains("count")) text += fmt::format(", count {}", fact["count"].get<std::int64_t>());
  return text + fmt::format(" ({})\n", fact["basis"].get<std::string>()) +
         queries_text(fact, queries);
}

std::string fact_text(const Object& fact, const Object& queries) {
  if (fact["kind"] == "statistic") return statistic_text(fact, queries);
  std::string text =
      fmt::format("\n{} {}: {} ns, {:.1f} % ({})\n  {}. {}.\n", fact["id"].get<std::string>(),
                  fact["rule"].get<std::string>(), fact["value"].get<std::int64_t>(),
                  100 * fact["share"].get<double>(), fact["basis"].get<std::string>(),
                  fact["text"].get<std::string>(), fact["evidence"].get<std::string>());
  if (fact.contains("gain"))
    text +=
        fmt::format("  gain: {}{} ns\n", fact["gain"]["is_at_most"].get<bool>() ? "at most " : "",
                    fact["gain"]["value"].get<std::int64_t>());
  if (fact.contains("worst")) text += fmt::format("  worst: {}\n", quoted(fact["worst"]));
  if (fact.contains("rows")) text += fmt::format("  rows: {}\n", rows_text(fact["rows"]));
  text += queries_text(fact, queries);
  return text + fmt::format("  remedy: {}.\n", fact["remedy"].get<std::string>());
}

std::string text_of(const Object& document) {
  std::string text;
  if (document.contains("verdict"))
    text = fmt::format("verdict {} of {} ns: {}\n", document["verdict"]["id"].get<std::string>(),
                       document["time"]["value"].get<std::int64_t>(),
                       document["verdict"]["text"].get<std::string>());
  const Object queries = document.value("queries", Object::object());
  for (const Object& each : document["facts"]) text += fact_text(each, queries);
  if (!document["cannot"].empty()) text += "\ncannot answer\n";
  for (const Object& each : document["cannot"]) {
    text +=
        fmt::format("  {}: {}", each["topic"].get<std::string>(), each["why"].get<std::string>());
    if (each.contains("fix")) text += fmt::format(" ({})", each["fix"].get<std::string>());
    text += '\n';
  }
  if (document.contains("picture"))
    text += fmt::format("\npicture of a time: {}\n", document["picture"].get<std::string>());
  text += analyze::names_text(document["names"]);
  if (document.contains("dropped"))
    text += fmt::format("\ndropped {}\n", quoted(document["dropped"]));
  return text;
}

// Returns the largest document of which `print` returns at most `bytes` bytes.
template <class Print>
std::string within(const FactSheet& sheet, std::size_t bytes, Print print) {
  Extent extent{number_of_facts(sheet)};
  std::string text = print(Document(sheet, extent).make());
  const auto is_done = [&] { return bytes == 0 || text.size() <= bytes; };
  const auto again = [&] { text = print(Document(sheet, extent).make()); };
  while (!is_done() && extent.facts > 1) {
    --extent.facts;
    again();
  }
  for (bool Extent::*part : {&Extent::has_rows, &Extent::has_queries, &Extent::has_missing})
    if (!is_done()) {
      extent.*part = false;
      again();
    }
  if (!is_done() && extent.facts > 0) {
    extent.facts = 0;
    again();
  }
  return text;
}

}  // namespace

const char* name_of(Basis basis) {
  switch (basis) {
    case Basis::kMeasured:
      return "measured";
    case Basis::kDerived:
      return "derived";
    case Basis::kSampled:
      return "sampled";
    case Basis::kEstimated:
      return "estimated";
  }
  return "";
}

Basis basis_of(const analyze::Finding& finding) {
  const std::string_view rule = finding.rule;
  if (is_one_of(rule, {"hot_function", "hot_python_function", "python_imports", "exceptions",
                       "heap_allocation", "memory_mapping", "big_messages", "memory_stalls",
                       "shared_memory_stalls", "barrier_stalls", "arithmetic_stalls",
                       "instruction_stalls", "issue_bound_kernels", "interpreter_lock"}))
    return Basis::kSampled;
  if (is_one_of(rule, {"small_grids", "tail_effect", "partial_warps", "low_occupancy",
                       "unused_occupancy", "slow_links", "gpu_throttled", "memory_bound_kernels",
                       "idle_tensor_cores", "idle_multiprocessors", "late_rank"}))
    return Basis::kEstimated;
  const bool is_measured = std::ranges::any_of(finding.queries, [](const auto& each) {
    return std::string_view(each.number) == analyze::kAtStake;
  });
  return is_measured ? Basis::kMeasured : Basis::kDerived;
}

std::string verdict_word(const analyze::Diagnosis& diagnosis) {
  std::string word;
  for (const char each : diagnosis.verdict.bound.substr(0, diagnosis.verdict.bound.find(" ("))) {
    const auto byte = static_cast<unsigned char>(each);
    if (std::isalnum(byte) != 0)
      word += static_cast<char>(std::tolower(byte));
    else if (!word.empty() && word.back() != '_')
      word += '_';
  }
  return word;
}

std::string facts_json(const FactSheet& sheet, std::size_t bytes) {
  return within(sheet, bytes, [](const Object& each) { return analyze::json_text(each, -1); });
}

std::string facts_text(const FactSheet& sheet, std::size_t bytes) {
  return within(sheet, bytes, [](const Object& each) { return text_of(each); });
}

}  // namespace prof::facts
