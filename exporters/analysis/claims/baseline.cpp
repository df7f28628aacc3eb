#include "exporters/analysis/claims/baseline.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "exporters/analysis/claims/check_claims.hpp"
#include "exporters/analysis/claims/measure.hpp"
#include "exporters/analysis/claims/rule_topics.hpp"
#include "exporters/analysis/claims/run_numbers.hpp"

namespace prof::claims {

namespace {

constexpr const char* kCudaCalls = "cuda_calls";
constexpr const char* kOsCalls = "os_calls";

// The events of one name.
struct Lengths {
  std::vector<std::int64_t> times = {};
  std::int64_t bytes = 0;
};

Baseline::Sums sums_of(std::string name, Lengths lengths) {
  Baseline::Sums sums{std::move(name)};
  std::ranges::sort(lengths.times);
  for (const std::int64_t each : lengths.times) sums.total += each;
  sums.count = static_cast<std::int64_t>(lengths.times.size());
  sums.bytes = lengths.bytes;
  if (lengths.times.empty()) return sums;
  sums.min = lengths.times.front();
  sums.median = lengths.times[lengths.times.size() / 2];
  sums.max = lengths.times.back();
  return sums;
}

base::Result<Baseline::Kind> read_kind(const report::ReportReader& reader, const Events& events) {
  constexpr std::size_t kMaxNames = 1'000;
  std::map<std::string, Lengths, std::less<>> by_name;
  Lengths all;
  const base::Status read = for_each_event(reader, events, [&](const NamedEvent& event) {
    for (Lengths* each : {&by_name[std::string(event.name)], &all}) {
      each->times.push_back(event.duration);
      each->bytes += event.bytes;
    }
  });
  if (!read) return tl::make_unexpected(read.error());
  Baseline::Kind kind{sums_of("", std::move(all)), {}};
  for (auto& [name, lengths] : by_name) kind.names.push_back(sums_of(name, std::move(lengths)));
  std::ranges::stable_sort(kind.names, std::ranges::greater(), &Baseline::Sums::total);
  if (kind.names.size() > kMaxNames) {
    kind.left_out = static_cast<std::int64_t>(kind.names.size() - kMaxNames);
    kind.names.resize(kMaxNames);
  }
  return kind;
}

// Returns a number of a finding, or nothing if the report cannot have it.
base::Result<std::optional<double>> rule_number(const report::ReportReader& reader,
                                                const facts::FactSheet& sheet,
                                                std::string_view rule, const char* number) {
  Claim claim;
  claim.quantity = {.kind = Quantity::Kind::kRule, .rule = std::string(rule), .number = number};
  const auto checked = check_claim(reader, sheet, claim);
  if (!checked) return tl::make_unexpected(checked.error());
  return checked->value;
}

// Returns the names that a pattern fits.
std::vector<const Baseline::Sums*> find_names(const Baseline::Kind& kind,
                                              const std::string& pattern) {
  if (pattern == "*") return {&kind.all};
  std::vector<const Baseline::Sums*> found;
  for (const Baseline::Sums& each : kind.names)
    if (sqlite3_strglob(pattern.c_str(), each.name.c_str()) == 0) found.push_back(&each);
  return found;
}

bool has_wildcard(const std::string& pattern) {
  return pattern.find_first_of("*?[") != std::string::npos;
}

std::optional<double> number_of(const std::vector<const Baseline::Sums*>& names,
                                const std::string& number, std::int64_t time) {
  Baseline::Sums sum;
  for (const Baseline::Sums* each : names) {
    sum.min = sum.count == 0 ? each->min : std::min(sum.min, each->min);
    sum.max = std::max(sum.max, each->max);
    sum.count += each->count;
    sum.total += each->total;
    sum.bytes += each->bytes;
  }
  const auto total = static_cast<double>(sum.total);
  if (number == "count") return static_cast<double>(sum.count);
  if (number == "total") return total;
  if (number == "bytes") return static_cast<double>(sum.bytes);
  if (number == "share") return total / static_cast<double>(std::max<std::int64_t>(1, time));
  if (sum.count == 0) return std::nullopt;
  if (number == "mean") return total / static_cast<double>(sum.count);
  if (number == "min") return static_cast<double>(sum.min);
  if (number == "max") return static_cast<double>(sum.max);
  if (names.size() > 1) return std::nullopt;  // medians cannot be added
  return static_cast<double>(names.front()->median);
}

std::optional<double> event_number(const Baseline& baseline, const Quantity& quantity) {
  const auto& [name, pattern] = quantity.events;
  const auto kind = baseline.kinds.find(name);
  if (kind == baseline.kinds.end()) return std::nullopt;
  const std::vector<const Baseline::Sums*> names = find_names(kind->second, pattern);
  if (kind->second.left_out > 0 && pattern != "*" && (names.empty() || has_wildcard(pattern)))
    return std::nullopt;
  if (names.empty() && name == "call" &&
      baseline.cannot.contains(pattern.starts_with("cu") ? kCudaCalls : kOsCalls))
    return std::nullopt;
  return number_of(names, quantity.number, baseline.time);
}

std::optional<double> rule_number_in(const Baseline& baseline, const Quantity& quantity) {
  if (baseline.cannot.contains(quantity.rule)) return std::nullopt;
  const auto rule = baseline.rules.find(quantity.rule);
  if (rule == baseline.rules.end()) return 0;
  if (quantity.number == "gain") {
    if (!rule->second.gain) return std::nullopt;
    return static_cast<double>(*rule->second.gain);
  }
  const auto value = static_cast<double>(rule->second.value);
  return quantity.number == "value"
             ? value
             : value / static_cast<double>(std::max<std::int64_t>(1, baseline.time));
}

// Iterations that a file keeps: enough for a median, in some kB.
constexpr std::size_t kMaxIterations = 1'000;

base::Status add_run(const report::ReportReader& reader, Baseline& baseline) {
  auto lengths = iteration_lengths(reader);
  if (!lengths) return tl::make_unexpected(lengths.error());
  baseline.iterations = *std::move(lengths);
  const std::size_t count = baseline.iterations.size();
  if (count > kMaxIterations) {
    for (std::size_t i = 0; i < kMaxIterations; ++i)
      baseline.iterations[i] = baseline.iterations[i * count / kMaxIterations];
    baseline.iterations.resize(kMaxIterations);
  }
  const auto peak = gpu_memory_peak(reader);
  if (!peak) return tl::make_unexpected(peak.error());
  if (*peak) baseline.gpu_memory_peak = static_cast<std::int64_t>(**peak);
  return {};
}

}  // namespace

base::Status add_findings(const report::ReportReader& reader, const facts::FactSheet& sheet,
                          Baseline& baseline) {
  for (const RuleTopics& each : rule_topics()) {
    const auto value = rule_number(reader, sheet, each.rule, "value");
    if (!value) return tl::make_unexpected(value.error());
    if (!*value) baseline.cannot.emplace(each.rule);
    if (value->value_or(0) == 0) continue;
    const auto gain = rule_number(reader, sheet, each.rule, "gain");
    if (!gain) return tl::make_unexpected(gain.error());
    Baseline::Rule& rule = baseline.rules[std::string(each.rule)];
    rule.value = static_cast<std::int64_t>(**value);
    if (*gain) rule.gain = static_cast<std::int64_t>(**gain);
  }
  return {};
}

base::Result<Baseline> baseline_of(const report::ReportReader& reader,
                                   const facts::FactSheet& sheet) {
  Baseline baseline{sheet.subject.id, sheet.diagnosis.span};
  const auto duration = session_duration(reader);
  if (!duration) return tl::make_unexpected(duration.error());
  if (duration->value) baseline.duration = static_cast<std::int64_t>(*duration->value);
  for (const base::Status& added :
       {add_findings(reader, sheet, baseline), add_run(reader, baseline)})
    if (!added) return tl::make_unexpected(added.error());
  auto recording = recording::read_recording(reader);
  if (!recording) return tl::make_unexpected(recording.error());
  baseline.recording = *std::move(recording);
  for (const char* topic : {kCudaCalls, kOsCalls})
    if (facts::missing_topic(reader, topic)) baseline.cannot.emplace(topic);
  for (const std::string_view name : event_kinds()) {
    const Events events{std::string(name)};
    if (missing_events(reader, events)) continue;
    auto kind = read_kind(reader, events);
    if (!kind) return tl::make_unexpected(kind.error());
    baseline.kinds[events.kind] = *std::move(kind);
  }
  return baseline;
}

std::optional<double> number_in(const Baseline& baseline, const Quantity& quantity) {
  switch (quantity.kind) {
    case Quantity::Kind::kTime:
      return static_cast<double>(baseline.time);
    case Quantity::Kind::kDuration:
      if (!baseline.duration) return std::nullopt;
      return static_cast<double>(*baseline.duration);
    case Quantity::Kind::kRule:
      return rule_number_in(baseline, quantity);
    case Quantity::Kind::kEvents:
      return event_number(baseline, quantity);
    case Quantity::Kind::kIteration:
      return iteration_number(baseline.iterations, quantity.number);
    case Quantity::Kind::kGpuMemory:
      if (!baseline.gpu_memory_peak) return std::nullopt;
      return static_cast<double>(*baseline.gpu_memory_peak);
    case Quantity::Kind::kNewFinding:
      break;
  }
  return std::nullopt;
}

}  // namespace prof::claims
