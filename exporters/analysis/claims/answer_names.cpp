#include "exporters/analysis/claims/answer_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <utility>

#include "common/base/letters.hpp"
#include "exporters/analysis/claims/measure.hpp"
#include "exporters/analysis/claims/rule_topics.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/query/named_views.hpp"

namespace prof::claims {

namespace {

constexpr double kMeasuredTolerance = 0.01;  // of times
constexpr double kEstimateTolerance = 0.1;   // of those that were sampled or estimated

struct NameColumn {
  const char* kind;
  const char* view;
  const char* column;
};
constexpr NameColumn kNameColumns[] = {{"kernel", "kernels", "name"},
                                       {"kernel", "kernels", "short_name"},
                                       {"range", "ranges", "name"},
                                       {"call", "calls", "name"},
                                       {"copy", "copies", "kind"}};

bool is_part_of_a_word(char each) {
  return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_';
}

// True if the word can be one of the language, so only quotes show that it is a name.
bool needs_quotes(std::string_view name) {
  return std::ranges::all_of(name, [](char each) { return each >= 'a' && each <= 'z'; });
}

// Returns where the name stands in the text from a place on.
std::size_t find_name(std::string_view text, std::string_view name, std::size_t from) {
  constexpr std::string_view kQuotes = "`'\"";
  for (std::size_t at = text.find(name, from); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    const std::size_t end = at + name.size();
    const char after = end == text.size() ? ' ' : text[end];
    const bool is_quoted = kQuotes.find(before) != std::string_view::npos && before == after;
    const bool continues = (is_part_of_a_word(before) && is_part_of_a_word(name.front())) ||
                           (is_part_of_a_word(after) && is_part_of_a_word(name.back()));
    if (is_quoted || (!continues && !needs_quotes(name))) return at;
  }
  return std::string_view::npos;
}

base::Result<std::vector<std::string>> names_in(const report::ReportReader& reader,
                                                const NameColumn& column, std::string_view text) {
  std::vector<std::string> found;
  const base::Status read = events::for_each_row(
      reader,
      fmt::format("SELECT DISTINCT {0} FROM {1} WHERE {0} IS NOT NULL", column.column, column.view),
      [&](const report::Statement& row) {
        const std::string_view name = row.text(0);
        if (name.size() < 2) return;
        if (find_name(text, name, 0) != text.npos ||
            find_name(text, events::without_version(name), 0) != text.npos)
          found.emplace_back(name);
      });
  if (!read) return tl::make_unexpected(read.error());
  return found;
}

// Adds the numbers of the events with this name.
base::Status add_numbers(const report::ReportReader& reader, const NameColumn& column,
                         std::int64_t span, AnswerSubject& subject) {
  const std::string from = fmt::format("FROM {} WHERE dur IS NOT NULL", column.view);
  const std::string of_name = fmt::format("{} AND {} = ?1", from, column.column);
  const bool has_bytes = std::string_view(column.kind) == "copy";
  auto sums = reader.prepare(fmt::format(
      "SELECT count(*), sum(dur), avg(dur), min(dur), max(dur), (SELECT dur {0} ORDER BY dur LIMIT "
      "1 OFFSET (SELECT count(*) {0}) / 2), (SELECT sum(dur) {1}), {2} {0}",
      of_name, from, has_bytes ? "sum(bytes)" : "0"));
  if (!sums) return tl::make_unexpected(sums.error());
  sums->bind(1, subject.name);
  const auto row = sums->step();
  if (!row || !*row) return tl::make_unexpected(reader.last_error());
  const auto add = [&](const char* quantity, Measure measure, double value, double tolerance) {
    subject.numbers.push_back({quantity, measure, value, tolerance, "measured"});
  };
  add("count", Measure::kCount, sums->real(0), 0);
  int next = 1;
  for (const char* quantity : {"total", "mean", "min", "max", "median"})
    add(quantity, Measure::kTime, sums->real(next++), kMeasuredTolerance);
  const double total = sums->real(1);
  add("share", Measure::kShare, total / static_cast<double>(span), kMeasuredTolerance);
  if (sums->real(next) > 0)
    add("share_of_kind", Measure::kShare, total / sums->real(next), kMeasuredTolerance);
  if (has_bytes) add("bytes", Measure::kBytes, sums->real(next + 1), 0);
  return {};
}

AnswerSubject subject_of(const analyze::Finding& finding, std::int64_t span) {
  AnswerSubject subject{"finding", finding.rule};
  const facts::Basis basis = facts::basis_of(finding);
  const bool is_estimate = basis == facts::Basis::kSampled || basis == facts::Basis::kEstimated;
  const double tolerance = is_estimate ? kEstimateTolerance : kMeasuredTolerance;
  const auto value = static_cast<double>(finding.at_stake);
  subject.numbers = {{"value", Measure::kTime, value, tolerance, facts::name_of(basis)},
                     {"share", Measure::kShare, value / static_cast<double>(span), tolerance,
                      facts::name_of(basis)}};
  if (finding.gain)
    subject.numbers.push_back({"gain", Measure::kTime, static_cast<double>(finding.gain->time),
                               kEstimateTolerance, "estimated"});
  return subject;
}

}  // namespace

base::Result<AnswerNames> AnswerNames::read(const report::ReportReader& reader,
                                            const facts::FactSheet& sheet, std::string_view text) {
  AnswerNames names;
  const std::int64_t span = std::max<std::int64_t>(1, sheet.diagnosis.span);
  base::Status added = names.add_events(reader, span, text);
  if (added) added = names.add_rules(reader, sheet, text);
  if (!added) return tl::make_unexpected(added.error());
  names.sort_texts();
  for (const analyze::Finding& each : sheet.diagnosis.findings)
    names.general_.push_back(subject_of(each, span));
  for (const auto& [name, share] : sheet.diagnosis.verdict.shares)
    names.general_.push_back(
        {"verdict", name, {{"share", Measure::kShare, share, kMeasuredTolerance, "derived"}}});
  names.general_.push_back({"report",
                            "time",
                            {{"value", Measure::kTime, static_cast<double>(sheet.diagnosis.span),
                              kMeasuredTolerance, "derived"}}});
  const auto duration = session_duration(reader);
  if (!duration) return tl::make_unexpected(duration.error());
  if (duration->value)
    names.general_.push_back(
        {"report",
         "duration",
         {{"value", Measure::kTime, *duration->value, kMeasuredTolerance, "measured"}}});
  return names;
}

base::Status AnswerNames::add_events(const report::ReportReader& reader, std::int64_t span,
                                     std::string_view text) {
  for (const NameColumn& column : kNameColumns) {
    if (!query::has_named_view(reader, column.view)) continue;
    const auto found = names_in(reader, column, text);
    if (!found) return tl::make_unexpected(found.error());
    for (const std::string& name : *found) {
      if (texts_.contains(name)) continue;
      AnswerSubject subject{column.kind, name};
      if (const base::Status added = add_numbers(reader, column, span, subject); !added)
        return added;
      texts_.emplace(name, subjects_.size());
      texts_.emplace(events::without_version(name), subjects_.size());
      subjects_.push_back(std::move(subject));
    }
  }
  return {};
}

base::Status AnswerNames::add_rules(const report::ReportReader& reader,
                                    const facts::FactSheet& sheet, std::string_view text) {
  const std::string lower = base::to_lower(text);
  const std::int64_t span = std::max<std::int64_t>(1, sheet.diagnosis.span);
  for (const RuleTopics& rule : rule_topics()) {
    std::set<std::string> written;
    for (const char between : {'_', '-', ' '}) {
      std::string form(rule.rule);
      std::ranges::replace(form, '_', between);
      if (find_name(lower, form, 0) != std::string::npos) written.insert(form);
    }
    if (written.empty()) continue;
    const auto found = std::ranges::find(sheet.diagnosis.findings, rule.rule, [](const auto& each) {
      return std::string_view(each.rule);
    });
    AnswerSubject subject{"finding", std::string(rule.rule)};
    if (found != sheet.diagnosis.findings.end()) {
      subject = subject_of(*found, span);
    } else {
      // Without the finding its time is less than prof reports, or the report cannot say.
      const auto claim = parse_claim(fmt::format("{}.share = 0%", rule.rule));
      if (!claim) return tl::make_unexpected(claim.error());
      auto checked = check_claim(reader, sheet, *claim);
      if (!checked) return tl::make_unexpected(checked.error());
      if (checked->judgement == Judgement::kNotMeasurable) subject.missing = *std::move(checked);
      subject.numbers = {{"value", Measure::kTime, 0, 0, "derived"},
                         {"share", Measure::kShare, 0, 0, "derived"}};
    }
    for (const std::string& form : written) texts_.emplace(form, subjects_.size());
    subjects_.push_back(std::move(subject));
  }
  return {};
}

void AnswerNames::sort_texts() {
  for (const auto& [text, subject] : texts_) longest_.push_back(&text);
  std::ranges::stable_sort(longest_, std::greater(), [](const auto* text) { return text->size(); });
}

std::vector<Mention> AnswerNames::mentions(std::string_view sentence) const {
  const std::string lower = base::to_lower(sentence);
  std::vector<Mention> found;
  for (const std::string* text : longest_) {
    const AnswerSubject& subject = subjects_[texts_.at(*text)];
    const std::string_view in = subject.kind == "finding" ? std::string_view(lower) : sentence;
    for (std::size_t at = find_name(in, *text, 0); at != in.npos;
         at = find_name(in, *text, at + text->size())) {
      const bool is_free =
          std::ranges::none_of(found, [&, begin = at, end = at + text->size()](auto& each) {
            return begin < each.end && each.begin < end;
          });
      if (is_free) found.push_back({at, at + text->size(), &subject});
    }
  }
  std::ranges::sort(found, {}, &Mention::begin);
  return found;
}

}  // namespace prof::claims
