#include "exporters/analysis/operators/replay/replay_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/operators/call_groups.hpp"
#include "exporters/analysis/operators/names/argument_list.hpp"
#include "exporters/analysis/operators/names/range_text.hpp"

namespace prof::operators {

namespace {

struct Script {
  const char* name;
  const char* text;
};
constexpr Script kScripts[] = {
#include "replay_operator.inc"
};

// The line of the script that prof replaces.
constexpr std::string_view kFacts =
    "OPERATOR, SHAPES, ARGUMENTS, TYPE, RESULT, REPORT = \"\", [], [], \"\", None, {}\n";

// The name becomes code of the script, so it must not have anything but letters.
bool is_name(std::string_view name) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:";
  return name.find("::") != std::string_view::npos &&
         name.find_first_not_of(kLetters) == std::string_view::npos;
}

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string shapes_text(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + shape_text(shape);
  return '[' + text + ']';
}

template <class Number>
std::string or_none(const std::optional<Number>& number) {
  return number ? fmt::format("{}", *number) : "None";
}

std::int64_t median(std::vector<std::int64_t> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return *middle;
}

// Returns a string literal of Python without quotes and control characters of the report.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text)
    if (letter >= ' ' && letter < 127 && letter != '"' && letter != '\\') result += letter;
  return result + '"';
}

// Returns what the longest call of a group had as arguments. Empty if they were not recorded, and
// if they are not those of the shapes.
std::string arguments_text(const OperatorModel& model, const CallGroup& group, std::size_t shapes) {
  const std::int32_t range = group.longest->range;
  if (range < 0) return {};
  const OperatorRanges& ranges = model.ranges();
  if (ranges.name(range) != group.example->name) return {};
  const std::vector<Argument> arguments =
      parse_arguments(ranges.text(ranges.parsed(range).arguments));
  if (arguments.size() != shapes) return {};
  std::string text;
  for (const Argument& each : arguments)
    text +=
        fmt::format("{}({}, {})", text.empty() ? "" : ", ", quoted(each.type), quoted(each.value));
  return text;
}

std::string facts_text(const OperatorModel& model, const CallGroup& group,
                       const std::vector<Shape>& shapes) {
  const Operator& each = *group.example;
  const GpuFacts* gpu = model.gpus().of(events::pid_of(each.global_pid), each.device);
  std::optional<std::int64_t> flops;
  if (each.work.matrix_flops && each.work.vector_flops)
    flops = *each.work.matrix_flops + *each.work.vector_flops;
  std::optional<double> least;
  if (group.work.has_limit()) least = group.work.least / static_cast<double>(group.times.size());
  return fmt::format(
      R"(OPERATOR = "{}"
SHAPES = {}
ARGUMENTS = [{}]
TYPE = "{}"
RESULT = {}
REPORT = {{"calls": {}, "median_ns": {}, "flops": {}, "bytes": {}, "least_ns": {}, "gpu": {}}}
)",
      each.name, shapes_text(shapes), arguments_text(model, group, shapes.size()),
      name_of(each.type), each.result ? shape_text(*each.result) : "None", group.times.size(),
      median(group.times), or_none(flops), or_none(each.bytes), or_none(least),
      gpu == nullptr ? "None" : quoted(gpu->name));
}

}  // namespace

base::Result<std::string> replay_script(const OperatorModel& model, std::size_t row) {
  const std::vector<CallGroup> groups = call_groups(model, GroupBy::kOperator);
  if (row == 0 || row > groups.size())
    return base::fail(fmt::format("operator_sum has the rows 1 to {}", groups.size()));
  const CallGroup& group = groups[row - 1];
  const Operator& each = *group.example;
  const auto shapes = parse_shapes(each.shapes);
  if (each.source != Source::kOperator || !is_name(each.name))
    return base::fail(fmt::format(
        "row {} of operator_sum is {}, which is not an operator of PyTorch", row, each.name));
  if (!shapes || shapes->empty())
    return base::fail(
        fmt::format("the report does not have the shapes of {}: record with "
                    "--pytorch=operators",
                    each.name));
  std::string script = kScripts[0].text;
  script.replace(script.find(kFacts), kFacts.size(), facts_text(model, group, *shapes));
  return fmt::format(
             "#!/usr/bin/env python3\n"
             "\"\"\"Runs {} with the shapes of a report and measures it. Made by prof "
             "replay-op.\"\"\"\n",
             each.name) +
         script;
}

}  // namespace prof::operators
