#include "exporters/analysis/claims/check_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "common/base/text/suggestion.hpp"
#include "exporters/analysis/claims/measure.hpp"
#include "exporters/analysis/claims/rule_topics.hpp"
#include "exporters/analysis/claims/run_numbers.hpp"

namespace prof::claims {

namespace {

constexpr double kTimeTolerance = 0.01;    // of times and shares
constexpr double kSampledTolerance = 0.1;  // of those that were counted in samples or estimated

const analyze::Finding* find_finding(const facts::FactSheet& sheet, std::string_view rule) {
  for (const analyze::Finding& each : sheet.diagnosis.findings)
    if (each.rule == rule) return &each;
  return nullptr;
}

bool holds(const Claim& claim, double value, double tolerance) {
  const bool is_equal = std::abs(value - claim.number) <=
                        tolerance * std::max(std::abs(value), std::abs(claim.number));
  switch (claim.relation) {
    case Relation::kLess:
      return value < claim.number;
    case Relation::kAtMost:
      return value <= claim.number;
    case Relation::kGreater:
      return value > claim.number;
    case Relation::kAtLeast:
      return value >= claim.number;
    case Relation::kEqual:
      return is_equal;
    case Relation::kDifferent:
      return !is_equal;
    case Relation::kBetween:
      return value >= claim.number && value <= claim.second;
  }
  return false;
}

base::Result<const RuleTopics*> known_rule(const std::string& rule) {
  if (const RuleTopics* topics = find_rule_topics(rule)) return topics;
  std::vector<std::string> names;
  for (const RuleTopics& each : rule_topics()) names.emplace_back(each.rule);
  return base::fail(fmt::format("there is no finding {}{}", rule, base::suggestion(rule, names)));
}

class Checker {
 public:
  Checker(const report::ReportReader& reader, const facts::FactSheet& sheet, const Claim& claim)
      : reader_(reader), sheet_(sheet), claim_(claim), checked_{claim.text} {}

  base::Result<Checked> check() {
    base::Status done;
    switch (claim_.kind) {
      case Claim::Kind::kCause:
        done = check_cause();
        break;
      case Claim::Kind::kOrder:
        done = check_order();
        break;
      case Claim::Kind::kComparison:
        done = check_comparison();
        break;
    }
    if (!done) return tl::make_unexpected(done.error());
    return std::move(checked_);
  }

 private:
  void miss(const facts::Missing& missing) {
    checked_.judgement = Judgement::kNotMeasurable;
    checked_.why = fmt::format("{}: {}", missing.topic, missing.why);
    checked_.fix = missing.fix;
  }

  // Returns whether the report has what the finding needs.
  bool can_find(const RuleTopics& topics) {
    for (const char* topic : topics.topics)
      if (topic != nullptr)
        if (const auto missing = facts::missing_topic(reader_, topic)) {
          miss(*missing);
          return false;
        }
    return true;
  }

  void judge(double value, double tolerance) {
    checked_.value = value;
    checked_.tolerance = tolerance;
    checked_.judgement =
        holds(claim_, value, tolerance) ? Judgement::kSupported : Judgement::kContradicted;
  }

  base::Status check_comparison() {
    checked_.unit = unit_of(claim_.quantity);
    switch (claim_.quantity.kind) {
      case Quantity::Kind::kTime:
        judge(static_cast<double>(sheet_.diagnosis.span), kTimeTolerance);
        checked_.basis = "derived";
        return {};
      case Quantity::Kind::kDuration:
        return check_duration();
      case Quantity::Kind::kRule:
        return check_rule();
      case Quantity::Kind::kEvents:
        return check_events();
      case Quantity::Kind::kIteration:
        return check_iteration();
      case Quantity::Kind::kGpuMemory:
        return check_gpu_memory();
      case Quantity::Kind::kNewFinding:
        break;
    }
    return {};
  }

  base::Status check_duration() {
    const auto measured = session_duration(reader_);
    if (!measured) return tl::make_unexpected(measured.error());
    checked_.sql = measured->sql;
    if (measured->value)
      judge(*measured->value, kTimeTolerance);
    else
      checked_.why = "duration: the report has none";
    return {};
  }

  base::Status check_iteration() {
    const auto lengths = iteration_lengths(reader_);
    if (!lengths) return tl::make_unexpected(lengths.error());
    checked_.basis = "derived";
    if (const auto value = iteration_number(*lengths, claim_.quantity.number))
      judge(*value, kTimeTolerance);
    else
      checked_.why = "iteration: prof finds none in this report";
    return {};
  }

  base::Status check_gpu_memory() {
    const auto peak = gpu_memory_peak(reader_);
    if (!peak) return tl::make_unexpected(peak.error());
    if (*peak) {
      judge(**peak, 0);
    } else {
      checked_.why = "gpu_memory: not recorded";
      checked_.fix = "--cuda-memory-usage=true";
    }
    return {};
  }

  base::Status check_rule() {
    const auto topics = known_rule(claim_.quantity.rule);
    if (!topics) return tl::make_unexpected(topics.error());
    const analyze::Finding* finding = find_finding(sheet_, claim_.quantity.rule);
    if (finding == nullptr) {
      // No finding: less than prof reports, so the number is about 0.
      if (can_find(**topics)) judge(0, kTimeTolerance);
      checked_.basis = "derived";
      return {};
    }
    take_evidence(*finding);
    const facts::Basis basis = facts::basis_of(*finding);
    checked_.basis = facts::name_of(basis);
    const double tolerance = basis == facts::Basis::kSampled || basis == facts::Basis::kEstimated
                                 ? kSampledTolerance
                                 : kTimeTolerance;
    if (claim_.quantity.number == "gain") {
      if (finding->gain) {
        judge(static_cast<double>(finding->gain->time), tolerance);
      } else {
        checked_.why = "gain: prof cannot replay this finding";
      }
      return {};
    }
    const auto at_stake = static_cast<double>(finding->at_stake);
    const auto span = static_cast<double>(std::max<std::int64_t>(1, sheet_.diagnosis.span));
    judge(claim_.quantity.number == "share" ? at_stake / span : at_stake, tolerance);
    return {};
  }

  void take_evidence(const analyze::Finding& finding) {
    checked_.rows = finding.rows;
    for (const analyze::NumberQuery& each : finding.queries)
      if (std::string_view(each.number) == analyze::kAtStake && claim_.quantity.number != "share")
        checked_.sql = each.sql;
  }

  base::Status check_events() {
    const Events& events = claim_.quantity.events;
    if (const auto missing = missing_events(reader_, events)) {
      miss(*missing);
      return {};
    }
    const auto measured = measure(reader_, events, claim_.quantity.number,
                                  std::max<std::int64_t>(1, sheet_.diagnosis.span));
    if (!measured) return tl::make_unexpected(measured.error());
    checked_.sql = measured->sql;
    if (measured->rows) checked_.rows.push_back(*measured->rows);
    if (measured->value.value_or(0) == 0)
      if (const auto missing = missing_calls(reader_, events)) {
        miss(*missing);
        return {};
      }
    const bool is_exact = claim_.quantity.number == "count" || claim_.quantity.number == "bytes";
    const bool is_sum =
        is_exact || claim_.quantity.number == "total" || claim_.quantity.number == "share";
    // The sum of no events is 0, and they have no median.
    if (measured->value || is_sum)
      judge(measured->value.value_or(0), is_exact ? 0 : kTimeTolerance);
    else
      checked_.why = "no event has this name";
    return {};
  }

  base::Status check_order() {
    for (const Events* events : {&claim_.first, &claim_.then})
      if (const auto missing = missing_events(reader_, *events)) {
        miss(*missing);
        return {};
      }
    const auto first = first_start(reader_, claim_.first);
    if (!first) return tl::make_unexpected(first.error());
    const auto then = first_start(reader_, claim_.then);
    if (!then) return tl::make_unexpected(then.error());
    checked_.sql = first->sql;
    checked_.unit = Unit::kTime;
    if (!first->value || !then->value) {
      checked_.why = "no event has one of these names";
      return {};
    }
    checked_.value = *first->value;
    checked_.judgement =
        *first->value < *then->value ? Judgement::kSupported : Judgement::kContradicted;
    return {};
  }

  // A cause is supported if it has the most time at stake, half as much again as the next one, and
  // a quarter of the time that is not computing.
  base::Status check_cause() {
    constexpr double kNext = 1.5;
    constexpr double kPart = 0.25;
    constexpr double kLeast = 0.1;
    const auto topics = known_rule(claim_.cause);
    if (!topics) return tl::make_unexpected(topics.error());
    const analyze::Finding* finding = find_finding(sheet_, claim_.cause);
    if (finding == nullptr && !can_find(**topics)) return {};
    std::int64_t next = 0;
    for (const analyze::Finding& each : sheet_.diagnosis.findings) {
      if (&each == finding || each.at_stake <= next) continue;
      next = each.at_stake;
      checked_.larger = each.rule;
    }
    checked_.basis = "derived";
    checked_.unit = Unit::kNone;
    const auto span = static_cast<double>(std::max<std::int64_t>(1, sheet_.diagnosis.span));
    const double time = finding == nullptr ? 0 : static_cast<double>(finding->at_stake);
    checked_.value = time / span;
    if (finding != nullptr) take_evidence(*finding);
    checked_.sql.clear();  // that of the time, which is not the share
    if (time >= kNext * static_cast<double>(next) &&
        time >= kPart * std::min(not_computing(), span) && time > 0)
      checked_.judgement = Judgement::kSupported;
    else
      checked_.judgement =
          time / span >= kLeast ? Judgement::kContributing : Judgement::kContradicted;
    if (time > static_cast<double>(next)) checked_.larger.clear();
    return {};
  }

  // Returns the time in ns in which the program does not compute. If it nearly always computes,
  // this is all of its time.
  double not_computing() const {
    const auto span = static_cast<double>(sheet_.diagnosis.span);
    for (const auto& [name, share] : sheet_.diagnosis.verdict.shares)
      if (std::string_view(name) == "computing" && share < 0.9) return (1 - share) * span;
    return span;
  }

  const report::ReportReader& reader_;
  const facts::FactSheet& sheet_;
  const Claim& claim_;
  Checked checked_;
};

}  // namespace

const char* name_of(Judgement judgement) {
  switch (judgement) {
    case Judgement::kSupported:
      return "supported";
    case Judgement::kContributing:
      return "contributing";
    case Judgement::kContradicted:
      return "contradicted";
    case Judgement::kNotMeasurable:
      return "not measurable";
    case Judgement::kUnsupported:
      return "unsupported";
  }
  return "";
}

base::Result<Checked> check_claim(const report::ReportReader& reader, const facts::FactSheet& sheet,
                                  const Claim& claim) {
  return Checker(reader, sheet, claim).check();
}

}  // namespace prof::claims
