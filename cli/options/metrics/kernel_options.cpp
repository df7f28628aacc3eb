#include "cli/options/metrics/kernel_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "cli/messages/failure.hpp"
#include "cli/options/metrics/range_expression.hpp"
#include "cli/options/option_kinds.hpp"
#include "common/base/text/regular_expression.hpp"
#include "common/wire/handshake.hpp"

namespace prof::cli {

namespace {

constexpr const char* kKernelGroup = "Kernels";
constexpr std::string_view kRegexPrefix = "regex:";

// Fails if the text is not a regular expression. The program's process uses the same functions.
void check_regex(const std::string& option, const std::string& expression) {
  const auto made = base::RegularExpression::make(expression);
  if (!made)
    throw Failure(fmt::format("{}: {} is not a regular expression ({})", option, expression,
                              made.error().message),
                  kBadUsage);
}

void check_line(const std::string& option, const std::string& text) {
  if (text.find('\n') != std::string::npos)
    throw Failure(option + ": a name has no line breaks", kBadUsage);
}

// Returns the line of the plan for a name: "WORD NAME" or "WORD-regex EXPRESSION".
std::string name_line(const std::string& option, const std::string& word, const std::string& name) {
  check_line(option, name);
  if (name.empty()) return {};
  if (!name.starts_with(kRegexPrefix)) return fmt::format("{} {}\n", word, name);
  const std::string expression = name.substr(kRegexPrefix.size());
  check_regex(option, expression);
  return fmt::format("{}-regex {}\n", word, expression);
}

bool is_id_number(std::string_view text) {
  return text.size() < 10 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Parses "CONTEXT:STREAM:NAME:NUMBER", of which each part may be empty. The name may have colons.
std::string id_lines(const std::string& id) {
  if (id.empty()) return {};
  const std::size_t first = id.find(':');
  const std::size_t second = first == std::string::npos ? first : id.find(':', first + 1);
  const std::size_t last = id.rfind(':');
  if (second == std::string::npos || last <= second)
    throw Failure("--kernel-id " + id + ": write CONTEXT:STREAM:NAME:NUMBER; parts may be empty",
                  kBadUsage);
  const std::string context = id.substr(0, first);
  const std::string stream = id.substr(first + 1, second - first - 1);
  const std::string number = id.substr(last + 1);
  if (!is_id_number(context) || !is_id_number(stream) || !is_id_number(number))
    throw Failure("--kernel-id " + id + ": CONTEXT, STREAM and NUMBER are numbers, or empty",
                  kBadUsage);
  std::string lines = "id\n";
  if (!context.empty()) lines += fmt::format("id-context {}\n", context);
  if (!stream.empty()) lines += fmt::format("id-stream {}\n", stream);
  if (!number.empty()) lines += fmt::format("id-invocation {}\n", number);
  return lines + name_line("--kernel-id", "id-name", id.substr(second + 1, last - second - 1));
}

// Nodes of graphs did not run while the counters of their context were on (CUDA 13.0 on an H200).
void check_graph_profiling(const std::string& mode) {
  if (mode == "graph")
    throw Failure(
        "--graph-profiling=graph: prof kernel cannot count a graph as one launch: CUPTI 13.0 does "
        "not run its nodes while counters are on",
        kBadUsage);
  if (mode != "node") throw Failure("--graph-profiling=" + mode + ": write node", kBadUsage);
}

std::string metric_line(const metrics::KernelMetric& metric) {
  check_line("--metrics", metric.name);
  if (metric.is_by_instruction()) return fmt::format("sass {}\n", metric.name);
  return metric.except.empty()
             ? fmt::format("metric {}\n", metric.name)
             : fmt::format("metric {} {}\n", metric.name, fmt::join(metric.except, " "));
}

}  // namespace

void add_kernel_options(CLI::App& app, KernelOptions& options) {
  const auto add = [&](const char* name, auto& target, const char* help, const char* type) {
    app.add_option(name, target, help)->type_name(type)->group(kKernelGroup);
  };
  add("-k,--kernel-name", options.name,
      "Profile only kernels of this name; regex: and a regular expression: names that contain a "
      "match",
      "NAME|regex:EXPRESSION");
  add_choice(
      app, "--kernel-name-base", options.base,
      {{"function", "function"}, {"demangled", "demangled"}, {"mangled", "mangled"}},
      "What -k compares. function: the name without namespaces, template arguments and parameters. "
      "demangled: the name that reports have. mangled: the name in the program")
      ->group(kKernelGroup);
  add("-s,--launch-skip", options.skip, "Do not profile the first N launches that match", "N");
  add("-c,--launch-count", options.count, "Profile at most N launches that match (0: all)", "N");
  add("--launch-skip-before-match", options.skip_before,
      "Do not look at the first N launches of any kernel", "N");
  add("--kernel-id", options.id,
      "Profile only the launch with this number among those of a context, a stream and a name; "
      "each part may be empty: ::regex:gemm:2",
      "CONTEXT:STREAM:NAME:NUMBER");
  add("--nvtx-include", options.include,
      "Profile only launches inside of NVTX push/pop ranges, as ncu writes them: RANGE/, "
      "DOMAIN@RANGE/, [OUTERMOST/*/RANGE]. Several: one of them",
      "EXPRESSION");
  add("--nvtx-exclude", options.exclude, "Do not profile launches inside of such ranges",
      "EXPRESSION");
  app.add_flag_callback(
         "--nvtx", [] {}, "Accepted for compatibility with ncu; no effect, as NVTX is recorded")
      ->group(kKernelGroup);
  app.add_option_function<std::string>("--graph-profiling", check_graph_profiling,
                                       "Accepted for compatibility with ncu: node has no effect, "
                                       "graph is refused. Launches of graphs are not profiled")
      ->type_name("node|graph")
      ->group(kKernelGroup);
  add_choice(
      app, "--filter-mode", options.mode,
      {{"global", "global"}, {"per-gpu", "per-gpu"}, {"per-launch-config", "per-launch-config"}},
      "What -s and -c count apart: nothing, the launches of each GPU, or those of each size "
      "of grid, block and shared memory")
      ->group(kKernelGroup);
  add_choice(
      app, "--replay,--replay-mode", options.replay,
      {{"auto", "auto"},
       {"kernel", "kernel"},
       {"rotate", "rotate"},
       {"application", "application"},
       {"none", "none"}},
      "kernel: run a kernel once for each pass, with its memory restored before. rotate: each "
      "launch of a kernel makes one pass. application: each run of the program makes one pass. "
      "none: one pass; metrics that need several are refused. auto: none for the set quick, else "
      "kernel")
      ->group(kKernelGroup);
}

void record_kernels_alone(session::SessionOptions& options) {
  options.features &= ~wire::kFeatureOsrt;
  options.cpu.samples = options.cpu.switches = sampler::Scope::kNone;
  options.python.samples = false;
  options.cuda.flags = wire::kCudaKernelProfiles | wire::kCudaAlone;
}

std::string kernel_plan(const KernelOptions& options,
                        const std::vector<metrics::KernelMetric>& metrics, bool replays) {
  std::string text = name_line("--kernel-name", "name", options.name) + id_lines(options.id);
  text += fmt::format("base {}\nmode {}\nskip {}\nskip-before {}\n", options.base, options.mode,
                      options.skip, options.skip_before);
  for (const std::string& each : options.include)
    text += fmt::format("nvtx-include {}\n", range_line("--nvtx-include", each));
  for (const std::string& each : options.exclude)
    text += fmt::format("nvtx-exclude {}\n", range_line("--nvtx-exclude", each));
  if (options.count != 0) text += fmt::format("count {}\n", options.count);
  const std::string automatic = replays ? "kernel" : "none";
  text += fmt::format("replay {}\n", options.replay == "auto" ? automatic : options.replay);
  for (const metrics::KernelMetric& metric : metrics) text += metric_line(metric);
  return text;
}

}  // namespace prof::cli
