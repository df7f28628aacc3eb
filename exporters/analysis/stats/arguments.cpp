#include "exporters/analysis/stats/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "exporters/analysis/replay/what_if.hpp"

namespace prof::stats {

namespace {

std::string allowed(Takes takes) {
  switch (takes) {
    case Takes::kKernelName:
      return " (allowed: base or mangled)";
    case Takes::kKernelAndRangeName:
      return " (allowed: base or mangled, nvtx-name)";
    case Takes::kMerge:
      return " (allowed: merge)";
    case Takes::kRows:
      return " (allowed: rows=NUMBER, -1 for all)";
    case Takes::kDepth:
      return " (allowed: depth=NUMBER of frames, -1 for all)";
    case Takes::kLine:
      return " (allowed: line)";
    case Takes::kRange:
      return " (allowed: range=NAME of an NVTX range)";
    case Takes::kBytes:
      return " (allowed: bytes)";
    case Takes::kSamples:
      return " (allowed: function, line, module, thread or process)";
    case Takes::kTree:
      return " (allowed: callers, thread, min=PERCENT)";
    case Takes::kStates:
      return " (allowed: osrt, cuda, depth=NUMBER of frames, -1 for all)";
    case Takes::kMetrics:
      return " (allowed: nvtx or kernel)";
    case Takes::kOperators:
      return " (allowed: name, module or category)";
    case Takes::kPower:
      return " (allowed: nvtx, kernel or iteration)";
    case Takes::kPath:
      return " (allowed: by=kernel, range, function, call, thread or kind)";
    case Takes::kKernel:
      return " (allowed: kernel=PATTERN of kernel names)";
    case Takes::kWhatIf:  // their own errors say it
    case Takes::kPyprof:
    case Takes::kNothing:
      break;
  }
  return {};
}

// Parses a number after a prefix, such as "rows=20". It must be `least` or more, or -1.
base::Status parse_number(const std::string& word, std::string_view prefix, std::int64_t least,
                          Takes takes, std::int64_t& result) {
  if (!word.starts_with(prefix)) return base::fail("unknown argument " + word + allowed(takes));
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + prefix.size(), end, result);
  if (error != std::errc() || stop != end || (result < least && result != -1))
    return base::fail("bad argument " + word + allowed(takes));
  return {};
}

// Takes everything after the prefix as the name, because names of ranges and kernels contain
// colons.
base::Status parse_rest(std::string_view words, std::string_view prefix, Takes takes,
                        std::string& result) {
  if (!words.starts_with(prefix) || words == prefix)
    return base::fail("bad argument " + std::string(words) + allowed(takes));
  result = words.substr(prefix.size());
  return {};
}

base::Status parse_order(const std::string& word, Arguments& result) {
  if (word != "bytes") return base::fail("unknown argument " + word + allowed(Takes::kBytes));
  result.by_bytes = true;
  return {};
}

base::Status parse_name(const std::string& word, Takes takes, Arguments& result) {
  const bool chosen = result.kernels.name != events::KernelName::kDemangled;
  if (word == "nvtx-name" && takes == Takes::kKernelAndRangeName) {
    result.kernels.nvtx_range = true;
  } else if (word != "base" && word != "mangled") {
    return base::fail("unknown argument " + word + allowed(takes));
  } else if (chosen) {
    return base::fail("too many arguments: " + word + allowed(takes));
  } else {
    result.kernels.name = word == "base" ? events::KernelName::kBase : events::KernelName::kMangled;
  }
  return {};
}

base::Status parse_group(const std::string& word, Arguments& result) {
  constexpr std::string_view kGroups[] = {"function", "line", "module", "thread", "process"};
  const auto group = std::find(std::begin(kGroups), std::end(kGroups), word);
  if (group == std::end(kGroups))
    return base::fail("unknown argument " + word + allowed(Takes::kSamples));
  result.sample_group = static_cast<SampleGroup>(group - std::begin(kGroups));
  return {};
}

base::Status parse_tree(const std::string& word, Arguments& result) {
  constexpr std::string_view kMinimum = "min=";
  if (word == "callers") {
    result.by_callers = true;
  } else if (word == "thread") {
    result.by_thread = true;
  } else if (word.starts_with(kMinimum)) {
    const char* end = word.data() + word.size();
    const auto [stop, error] =
        std::from_chars(word.data() + kMinimum.size(), end, result.least_percent);
    if (error != std::errc() || stop != end || !(result.least_percent >= 0))
      return base::fail("bad argument " + word + allowed(Takes::kTree));
  } else {
    return base::fail("unknown argument " + word + allowed(Takes::kTree));
  }
  return {};
}

base::Status parse_states(const std::string& word, Arguments& result) {
  if (word != "osrt" && word != "cuda")
    return parse_number(word, "depth=", 1, Takes::kStates, result.depth);
  result.waited_in = word == "osrt" ? WaitedIn::kOsrt : WaitedIn::kCuda;
  return {};
}

base::Status parse_metrics(const std::string& word, Takes takes, Arguments& result) {
  if (word == "nvtx")
    result.metrics_by = MetricsBy::kRange;
  else if (word == "kernel")
    result.metrics_by = MetricsBy::kKernel;
  else if (word == "iteration" && takes == Takes::kPower)
    result.metrics_by = MetricsBy::kIteration;
  else
    return base::fail("unknown argument " + word + allowed(takes));
  return {};
}

base::Status parse_operators(const std::string& word, Arguments& result) {
  if (word == "name")
    result.operators_by = operators::GroupBy::kName;
  else if (word == "module")
    result.operators_by = operators::GroupBy::kModule;
  else if (word == "category")
    result.operators_by = operators::GroupBy::kCategory;
  else
    return base::fail("unknown argument " + word + allowed(Takes::kOperators));
  return {};
}

base::Status parse_path(const std::string& word, Arguments& result) {
  constexpr std::string_view kPrefix = "by=";
  constexpr std::pair<std::string_view, path::PathBy> kWords[] = {
      {"kernel", path::PathBy::kKernel},     {"range", path::PathBy::kRange},
      {"function", path::PathBy::kFunction}, {"call", path::PathBy::kCall},
      {"thread", path::PathBy::kThread},     {"kind", path::PathBy::kKind}};
  for (const auto& [text, by] : kWords) {
    if (!word.starts_with(kPrefix) || word.substr(kPrefix.size()) != text) continue;
    result.path_by = by;
    return {};
  }
  return base::fail("unknown argument " + word + allowed(Takes::kPath));
}

base::Status parse_word(const std::string& word, Takes takes, Arguments& result) {
  switch (takes) {
    case Takes::kSamples:
      return parse_group(word, result);
    case Takes::kTree:
      return parse_tree(word, result);
    case Takes::kStates:
      return parse_states(word, result);
    case Takes::kMetrics:
    case Takes::kPower:
      return parse_metrics(word, takes, result);
    case Takes::kOperators:
      return parse_operators(word, result);
    case Takes::kPath:
      return parse_path(word, result);
    case Takes::kRows:
      return parse_number(word, "rows=", 0, takes, result.rows);
    case Takes::kBytes:
      return parse_order(word, result);
    case Takes::kMerge:
      result.merge_numbers = word == "merge";
      if (!result.merge_numbers) return base::fail("unknown argument " + word + allowed(takes));
      return {};
    case Takes::kDepth:
      return parse_number(word, "depth=", 1, takes, result.depth);
    case Takes::kLine:
      result.by_line = word == "line";
      if (!result.by_line) return base::fail("unknown argument " + word + allowed(takes));
      return {};
    default:
      return parse_name(word, takes, result);
  }
}

}  // namespace

bool shows_code(Takes takes, const Arguments& arguments) {
  switch (takes) {
    case Takes::kDepth:
    case Takes::kTree:
      return true;
    case Takes::kStates:
      return arguments.waited_in != WaitedIn::kAnything;
    case Takes::kSamples:
      return arguments.sample_group.value_or(SampleGroup::kLine) <= SampleGroup::kLine;
    default:
      return false;
  }
}

const char* usage(Takes takes) {
  switch (takes) {
    case Takes::kKernelName:
      return "[:base|:mangled]";
    case Takes::kKernelAndRangeName:
      return "[:nvtx-name][:base|:mangled]";
    case Takes::kMerge:
      return "[:merge]";
    case Takes::kRows:
      return "[:rows=NUMBER]";
    case Takes::kDepth:
      return "[:depth=NUMBER]";
    case Takes::kLine:
      return "[:line]";
    case Takes::kRange:
      return "[:range=NAME]";
    case Takes::kBytes:
      return "[:bytes]";
    case Takes::kSamples:
      return "[:function|:line|:module|:thread|:process]";
    case Takes::kTree:
      return "[:callers][:thread][:min=PERCENT]";
    case Takes::kStates:
      return "[:osrt|:cuda][:depth=NUMBER]";
    case Takes::kMetrics:
      return "[:nvtx|:kernel]";
    case Takes::kPyprof:
      return "[:c=COLUMN:COLUMN:…]";
    case Takes::kOperators:
      return "[:name|:module|:category]";
    case Takes::kPower:
      return "[:nvtx|:kernel|:iteration]";
    case Takes::kPath:
      return "[:by=kernel|:by=range|:by=function|:by=call|:by=thread|:by=kind]";
    case Takes::kKernel:
      return "[:kernel=PATTERN]";
    case Takes::kWhatIf:
      return "[:SUBJECT=0|:SUBJECT*FACTOR]";
    case Takes::kNothing:
      break;
  }
  return "";
}

base::Result<Arguments> parse_arguments(std::string_view words, Takes takes) {
  Arguments result;
  if ((takes == Takes::kRange || takes == Takes::kKernel) && !words.empty()) {
    const bool is_range = takes == Takes::kRange;
    if (const base::Status parsed = parse_rest(words, is_range ? "range=" : "kernel=", takes,
                                               is_range ? result.range : result.kernel);
        !parsed)
      return tl::make_unexpected(parsed.error());
    return result;
  }
  if (takes == Takes::kWhatIf) {
    if (const auto parsed = replay::parse_what_ifs(words); !words.empty() && !parsed)
      return tl::make_unexpected(parsed.error());
    result.what_if = words;
    return result;
  }
  if (takes == Takes::kPyprof && !words.empty()) {
    auto columns = parse_pyprof_columns(words);
    if (!columns) return tl::make_unexpected(columns.error());
    result.pyprof_columns = std::move(*columns);
    return result;
  }
  while (!words.empty()) {
    const std::string word(words.substr(0, words.find(':')));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (takes == Takes::kNothing)
      return base::fail("argument " + word + ": this report takes no arguments");
    if (const base::Status parsed = parse_word(word, takes, result); !parsed)
      return tl::make_unexpected(parsed.error());
  }
  return result;
}

}  // namespace prof::stats
