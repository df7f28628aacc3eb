#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "exporters/analysis/claims/claim.hpp"
#include "exporters/analysis/claims/gate.hpp"

namespace prof::claims {

namespace {

constexpr std::size_t kMaxBytes = 1'000;  // of a claim
constexpr int kMaxStars = 4;              // of a name
constexpr std::string_view kEventKinds[] = {"kernel", "range", "call", "copy"};
constexpr std::string_view kEventNumbers[] = {"total", "count", "median", "mean",
                                              "max",   "min",   "share",  "bytes"};
constexpr std::string_view kRuleNumbers[] = {"share", "value", "gain"};
constexpr std::string_view kIterationNumbers[] = {"median", "mean", "min", "max"};
constexpr std::string_view kGpuMemoryNumbers[] = {"peak"};

struct Scale {
  std::string_view name;
  double factor;
  Unit unit;
};
constexpr Scale kScales[] = {
    {"ns", 1, Unit::kTime},      {"us", 1e3, Unit::kTime},       {"ms", 1e6, Unit::kTime},
    {"s", 1e9, Unit::kTime},     {"%", 0.01, Unit::kNone},       {"B", 1, Unit::kBytes},
    {"kB", 1e3, Unit::kBytes},   {"MB", 1e6, Unit::kBytes},      {"GB", 1e9, Unit::kBytes},
    {"KiB", 1024, Unit::kBytes}, {"MiB", 1 << 20, Unit::kBytes}, {"GiB", 1 << 30, Unit::kBytes}};

struct RelationName {
  std::string_view name;
  Relation relation;
};
constexpr RelationName kRelations[] = {{"<=", Relation::kAtMost},    {">=", Relation::kAtLeast},
                                       {"!=", Relation::kDifferent}, {"<", Relation::kLess},
                                       {">", Relation::kGreater},    {"=", Relation::kEqual}};

template <class List>
bool has(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

template <class List>
std::string joined(const List& list) {
  std::string text;
  for (const std::string_view each : list) text += (text.empty() ? "" : ", ") + std::string(each);
  return text;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text), claim_{std::string(text)} {}

  base::Result<Claim> parse() {
    parse_claim();
    if (const base::Status ended = end(); !ended) return tl::make_unexpected(ended.error());
    return std::move(claim_);
  }

  // "kernel('gemm*').total > +5% and > 1ms"
  base::Result<Gate> parse_gate() {
    const std::string word = take_word();
    if (word == "new_finding") return parse_new_finding();
    parse_quantity(word);
    Gate gate{claim_.text, claim_.quantity, {}};
    do gate.conditions.push_back(take_condition());
    while (error_.empty() && take_word_if("and"));
    if (const base::Status ended = end(); !ended) return tl::make_unexpected(ended.error());
    return gate;
  }

 private:
  // "new_finding(any)"
  base::Result<Gate> parse_new_finding() {
    claim_.quantity.kind = Quantity::Kind::kNewFinding;
    take("(");
    claim_.quantity.rule = take_word();
    if (claim_.quantity.rule.empty()) expect("any, or a finding, as new_finding(launch_bound)");
    take(")");
    if (const base::Status ended = end(); !ended) return tl::make_unexpected(ended.error());
    return Gate{claim_.text, claim_.quantity, {}};
  }

  base::Status end() {
    if (claim_.text.size() > kMaxBytes)
      return base::fail(fmt::format("a claim has at most {} bytes", kMaxBytes));
    skip_blanks();
    if (error_.empty() && !rest_.empty()) expect("the end");
    if (!error_.empty()) return base::fail(error_);
    return {};
  }

  Condition take_condition() {
    Condition condition;
    const auto relation = take_relation();
    if (!relation) {
      expect("one of <, >, <=, >=, =, !=");
      return condition;
    }
    condition.relation = *relation;
    if (take_word_if("base")) {
      condition.limit = Condition::Limit::kBase;
      return condition;
    }
    skip_blanks();
    const bool is_change = rest_.starts_with('+') || rest_.starts_with('-');
    const double sign = rest_.starts_with('-') ? -1 : 1;
    if (!is_change) {
      claim_.unit = Unit::kNone;
      condition.number = take_number();
      check_unit();
      return condition;
    }
    rest_.remove_prefix(1);
    condition.limit = Condition::Limit::kChange;
    const std::string_view before = rest_;
    condition.number = sign * take_number();
    const std::string_view taken = before.substr(0, before.size() - rest_.size());
    if (error_.empty() && taken.find('%') == std::string_view::npos)
      expect("% after a change, as +5%");
    return condition;
  }

  void parse_claim() {
    const std::string word = take_word();
    if (word == "cause") return parse_cause();
    if (word == "first") return parse_order();
    parse_quantity(word);
    parse_relation();
  }

  void parse_cause() {
    claim_.kind = Claim::Kind::kCause;
    take("=");
    claim_.cause = take_word();
    if (claim_.cause.empty()) expect("a finding, as cause = launch_bound");
  }

  void parse_order() {
    claim_.kind = Claim::Kind::kOrder;
    claim_.first = take_events_in_parentheses();
    if (take_word() != "before" || take_word() != "first") expect("before first(…)");
    claim_.then = take_events_in_parentheses();
  }

  // "kernel('gemm*').total", "count(kernel('gemm*'))", "launch_bound.share", "time".
  void parse_quantity(const std::string& word) {
    Quantity& quantity = claim_.quantity;
    if (word == "time") return;
    if (word == "duration") {
      quantity.kind = Quantity::Kind::kDuration;
      return;
    }
    if (word == "iteration") {
      quantity.kind = Quantity::Kind::kIteration;
      quantity.number = take_number_name(kIterationNumbers);
      return;
    }
    if (word == "gpu_memory") {
      quantity.kind = Quantity::Kind::kGpuMemory;
      quantity.number = take_number_name(kGpuMemoryNumbers);
      return;
    }
    if (word == "count") {
      quantity.kind = Quantity::Kind::kEvents;
      quantity.events = take_events_in_parentheses();
      quantity.number = "count";
      return;
    }
    if (has(kEventKinds, word)) {
      quantity.kind = Quantity::Kind::kEvents;
      quantity.events = take_events(word);
      quantity.number = take_number_name(kEventNumbers);
      if (quantity.number == "bytes" && word != "copy") expect("copy before .bytes");
      return;
    }
    quantity.kind = Quantity::Kind::kRule;
    quantity.rule = word;
    if (word.empty())
      return expect(
          "a finding, kernel(…), range(…), call(…), copy(…), iteration, gpu_memory, time or "
          "duration");
    quantity.number = take_number_name(kRuleNumbers);
  }

  template <class List>
  std::string take_number_name(const List& names) {
    take(".");
    std::string name = take_word();
    if (!has(names, name)) expect("one of " + joined(names) + " after the dot");
    return name;
  }

  Events take_events_in_parentheses() {
    take("(");
    const std::string kind = take_word();
    if (!has(kEventKinds, kind)) expect(joined(kEventKinds));
    Events events = take_events(kind);
    take(")");
    return events;
  }

  Events take_events(const std::string& kind) {
    Events events{kind};
    if (!take_if("(")) return events;
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') {
      expect("a name in quotes, as kernel('gemm*')");
      return events;
    }
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) {
      expect("the second quote of the name");
      return events;
    }
    events.pattern = rest_.substr(1, end - 1);
    // Each star multiplies the time that a comparison can take.
    if (std::ranges::count(events.pattern, '*') > kMaxStars)
      expect(fmt::format("a name with at most {} stars", kMaxStars));
    rest_.remove_prefix(end + 1);
    take(")");
    return events;
  }

  void parse_relation() {
    if (!error_.empty()) return;
    if (take_word_if("between")) {
      claim_.relation = Relation::kBetween;
      claim_.number = take_number();
      if (!take_word_if("and")) expect("and, as between 1ms and 2ms");
      claim_.second = take_number();
      if (claim_.second < claim_.number) std::swap(claim_.number, claim_.second);
      return check_unit();
    }
    const auto relation = take_relation();
    if (!relation) return expect("one of <, >, <=, >=, =, !=, between");
    claim_.relation = *relation;
    claim_.number = take_number();
    check_unit();
  }

  std::optional<Relation> take_relation() {
    for (const auto& [name, relation] : kRelations)
      if (take_if(name)) return relation;
    return std::nullopt;
  }

  // A time without a unit could be in seconds or in ns.
  void check_unit() {
    if (!error_.empty() || claim_.unit == unit_of(claim_.quantity)) return;
    switch (unit_of(claim_.quantity)) {
      case Unit::kTime:
        return expect("a time with its unit: ns, us, ms or s");
      case Unit::kBytes:
        return expect("an amount with its unit: B, kB, MB, GB, KiB, MiB or GiB");
      case Unit::kNone:
        return expect("a number without a unit, or with %");
    }
  }

  double take_number() {
    skip_blanks();
    double number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) {
      expect("a number");
      return 0;
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    skip_blanks();
    if (take_if("%")) return number * 0.01;
    const std::string_view before = rest_;
    const std::string word = take_word();
    for (const Scale& each : kScales)
      if (each.name == word) {
        claim_.unit = each.unit;
        return number * each.factor;
      }
    rest_ = before;
    return number;
  }

  void skip_blanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }

  std::string take_word() {
    skip_blanks();
    std::size_t size = 0;
    while (size < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[size])) != 0 || rest_[size] == '_'))
      ++size;
    std::string word(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return word;
  }

  bool take_word_if(std::string_view word) {
    const std::string_view before = rest_;
    if (take_word() == word) return true;
    rest_ = before;
    return false;
  }

  bool take_if(std::string_view sign) {
    skip_blanks();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  void take(std::string_view sign) {
    if (!take_if(sign)) expect(fmt::format("{}", sign));
  }

  // Keeps the first error.
  void expect(const std::string& what) {
    if (error_.empty())
      error_ =
          fmt::format("expected {} at character {}", what, claim_.text.size() - rest_.size() + 1);
  }

  std::string_view rest_;
  Claim claim_;
  std::string error_;
};

}  // namespace

base::Result<Claim> parse_claim(std::string_view text) { return Parser(text).parse(); }

base::Result<Gate> parse_gate(std::string_view text) { return Parser(text).parse_gate(); }

std::span<const std::string_view> event_kinds() { return kEventKinds; }

Unit unit_of(const Quantity& quantity) {
  if (quantity.kind == Quantity::Kind::kTime || quantity.kind == Quantity::Kind::kDuration)
    return Unit::kTime;
  if (quantity.number == "bytes" || quantity.kind == Quantity::Kind::kGpuMemory)
    return Unit::kBytes;
  return quantity.number == "share" || quantity.number == "count" ? Unit::kNone : Unit::kTime;
}

}  // namespace prof::claims
