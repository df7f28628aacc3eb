#include "exporters/analysis/replay/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "common/base/text/regular_expression.hpp"

namespace prof::replay {

namespace {

constexpr const char* kExamples =
    "range:NAME=0, range:NAME*0.5, kernel:REGEX*0.5, call:REGEX=0, function:NAME=0, compute=0, "
    "copies=0, "
    "idle:sync=0, idle:data-loading=0, rank:17=median, rank:17*0.9, network=0, stragglers=0";

base::Status parse_idle(const std::string& name, WhatIf& result) {
  for (std::size_t i = 0; i < insight::kIdleKinds; ++i) {
    const auto kind = static_cast<insight::IdleKind>(i);
    if (kind == insight::IdleKind::kUnknown || name != insight::name_of(kind)) continue;
    result.idle = kind;
    return {};
  }
  return base::fail(fmt::format(
      "idle times are sync, data-loading, cpu, launches, calls or graph, not {}", name));
}

base::Status parse_subject(std::string_view subject, WhatIf& result) {
  constexpr std::pair<std::string_view, WhatIf::Subject> kNamed[] = {
      {"range:", WhatIf::Subject::kRange}, {"kernel:", WhatIf::Subject::kKernel},
      {"call:", WhatIf::Subject::kCall},   {"function:", WhatIf::Subject::kFunction},
      {"idle:", WhatIf::Subject::kIdle},   {"rank:", WhatIf::Subject::kRank}};
  for (const auto& [prefix, kind] : kNamed) {
    if (!subject.starts_with(prefix)) continue;
    result.subject = kind;
    result.name = subject.substr(prefix.size());
    if (result.name.empty()) return base::fail(fmt::format("{} has no name", prefix));
    if (kind == WhatIf::Subject::kKernel || kind == WhatIf::Subject::kCall)
      if (const auto expression = base::RegularExpression::make(result.name); !expression)
        return tl::make_unexpected(expression.error());
    if (kind == WhatIf::Subject::kIdle) return parse_idle(result.name, result);
    if (kind != WhatIf::Subject::kRank) return {};
    const char* end = result.name.data() + result.name.size();
    const auto [stop, error] = std::from_chars(result.name.data(), end, result.rank);
    if (error != std::errc() || stop != end || result.rank < 0)
      return base::fail(fmt::format("{} is not the number of a rank", result.name));
    return {};
  }
  if (subject == "network")
    result.subject = WhatIf::Subject::kNetwork;
  else if (subject == "compute")
    result.subject = WhatIf::Subject::kCompute;
  else if (subject == "copies")
    result.subject = WhatIf::Subject::kCopies;
  else if (subject == "stragglers")
    result.subject = WhatIf::Subject::kStragglers;
  else
    return base::fail(fmt::format("{} is unknown", subject));
  return {};
}

base::Status parse_value(char mark, std::string_view value, WhatIf& result) {
  const bool is_of_ranks = result.needs_ranks();
  if (mark == '=' && is_of_ranks && (value == "median" || value == "mean")) {
    result.like = value == "median" ? WhatIf::Like::kMedian : WhatIf::Like::kMean;
    return {};
  }
  const auto [stop, error] =
      std::from_chars(value.data(), value.data() + value.size(), result.factor);
  if (error != std::errc() || stop != value.data() + value.size() || !(result.factor >= 0) ||
      result.factor > 1000)
    return base::fail(fmt::format("{} is not a factor from 0 to 1000", value));
  if (mark == '=' && result.factor != 0)
    return base::fail(is_of_ranks ? "after = comes 0, median or mean" : "after = comes 0");
  if (mark != '=' && result.idle == insight::IdleKind::kSync)
    return base::fail("idle:sync takes =0: without these waits");
  // Without stragglers each rank is as the median one.
  if (result.subject == WhatIf::Subject::kStragglers) {
    if (mark != '=') return base::fail("stragglers takes =0, =median or =mean");
    result.like = WhatIf::Like::kMedian;
  }
  return {};
}

}  // namespace

base::Result<WhatIf> parse_what_if(std::string_view text) {
  WhatIf result;
  result.text = text;
  const std::size_t mark = text.find_last_of("=*");
  base::Status parsed = mark == std::string_view::npos || mark + 1 == text.size()
                            ? base::fail("it does not end with =0 or *FACTOR")
                            : parse_subject(text.substr(0, mark), result);
  if (parsed) parsed = parse_value(text[mark], text.substr(mark + 1), result);
  if (!parsed)
    return base::fail(
        fmt::format("what if {}: {} (examples: {})", text, parsed.error().message, kExamples));
  return result;
}

std::string expression_of(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) {
    result += result.empty() ? "^(" : "|";
    for (const char c : name) {
      if (std::string_view("\\^$.[]|()*+?{}").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result.empty() ? result : result + ")$";
}

base::Result<std::vector<WhatIf>> parse_what_ifs(std::string_view text) {
  constexpr std::string_view kBetween = " + ";
  std::vector<WhatIf> result;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(kBetween, first), text.size());
    auto each = parse_what_if(text.substr(first, end - first));
    if (!each) return tl::make_unexpected(each.error());
    result.push_back(*std::move(each));
    first = end + kBetween.size();
  }
  return result;
}

}  // namespace prof::replay
