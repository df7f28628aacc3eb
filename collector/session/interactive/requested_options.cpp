#include "collector/session/interactive/requested_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "collector/session/interactive/collection_triggers.hpp"
#include "collector/session/interactive/in_folder.hpp"
#include "collector/session/options/session_reply.hpp"

namespace prof::session {

using base::fail;
using base::Status;

namespace {

constexpr char kNotCounted[] =
    "--at-step: the session does not count steps; prof launch --step-range=RANGE counts an NVTX "
    "range, --step-range=optimizer PyTorch's steps";

Words words_of(const Message& request) { return request.value("words", Words{}); }

// Forgets what the last prof start chose to record beside the programs' own records.
void forget_sources(SessionOptions& options) {
  options.cpu = {};
  options.tracepoints = {};
  options.gpu_metrics = {};
  options.plugins.clear();
}

std::uint32_t features_of(const Message& launch) {
  return launch.value("features", ~std::uint32_t{0});
}

}  // namespace

RequestedOptions::RequestedOptions(const std::string& name, const SessionHooks& hooks)
    : name_(name), hooks_(hooks) {
  options_.time.on_demand = true;
}

Status RequestedOptions::choose(const Message& launch, bool waits_to_collect) {
  if (folder_.empty()) folder_ = text_of(launch, "folder");
  SessionOptions options = options_;
  options.warnings.clear();
  if (Status read = hooks_.read_launch(words_of(launch), options); !read) return read;
  options.features &= features_of(launch);
  options.command = launch.at("command").get<Words>();
  if (launch.contains("guest")) options.guest = launch.at("guest").get<uid_t>();
  // prof attach sends the sampling options of its flight recorder at once.
  if (launch.contains("start_words")) {
    forget_sources(options);
    options.warnings.clear();
    if (Status read = hooks_.read_start(launch.at("start_words").get<Words>(), options); !read)
      return read;
  }
  if (options.flight.is_on() && waits_to_collect)
    return fail("the session " + name_ +
                " waits to collect; --flight-recorder needs one of "
                "its own: --session-new=NAME");
  if (options.ranges.at_step && !options.ranges.counts_steps) return fail(kNotCounted);
  defaults_ = launch.value("defaults", Words{});
  launch_warnings_ = std::exchange(options.warnings, options_.warnings);
  options_ = std::move(options);
  return {};
}

Status RequestedOptions::compare(const Message& launch, const spool::SessionClock& clock,
                                 bool has_metrics_endpoint) const {
  SessionOptions other = options_;
  if (Status read = hooks_.read_launch(words_of(launch), other); !read) return read;
  other.cpu = options_.cpu;  // each prof start sets these
  if (other.metrics_endpoint && !has_metrics_endpoint)
    return fail("the session " + name_ +
                " has no metrics endpoint. The first prof launch decides. For another session: "
                "--session-new=NAME");
  const SessionFacts facts{clock, {}, true, 0};
  other.features &= features_of(launch);
  const wire::Reply ours = reply_of(options_, facts);
  const wire::Reply theirs = reply_of(other, facts);
  if (std::memcmp(&ours, &theirs, sizeof ours) != 0)
    return fail("the session " + name_ +
                " traces with other options. Launch with the same ones, or into a session of "
                "its own: --session-new=NAME");
  return {};
}

void RequestedOptions::keep_warnings(const Message& launch) {
  for (const std::string& warning : launch.value("warnings", Words{}))
    launch_warnings_.push_back(warning);
}

Status RequestedOptions::read_start(const Message& start) {
  SessionOptions options = options_;
  forget_sources(options);
  options.warnings.clear();
  options.overwrite = false;
  options.time.start_on = options.time.stop_on = {};
  options.ranges = {};
  options.ranges.nvtx_range = options_.ranges.nvtx_range;
  options.ranges.nvtx_domain = options_.ranges.nvtx_domain;
  options.ranges.counts_steps = options_.ranges.counts_steps;
  if (Status read = hooks_.read_start(start_words(start), options); !read) return read;
  options_ = std::move(options);
  return {};
}

Status RequestedOptions::choose_steps(const StepPace& pace, bool has_programs) {
  std::optional<StepRequest>& steps = options_.ranges.at_step;
  if (!steps) return {};
  if (has_programs && !options_.ranges.counts_steps) return fail(kNotCounted);
  steps->choose(pace.earliest());
  if (steps->first >= pace.begun()) return {};
  return fail(
      fmt::format("--at-step: step {} has passed; {}", steps->first, position_text(pace.begun())));
}

// If an option has several values, the last one counts.
Words RequestedOptions::start_words(const Message& start) const {
  Words words = defaults_;
  const Words given = words_of(start);
  words.insert(words.end(), given.begin(), given.end());
  return words;
}

base::Result<ChosenOutput> RequestedOptions::start_output(const Message& start) const {
  const bool has_default = std::ranges::any_of(
      defaults_, [](const std::string& word) { return word.starts_with("--output="); });
  if (!has_default || start.value("chooses_output", false))
    return ChosenOutput{text_of(start, "output")};
  const InFolder folder(folder_);
  return hooks_.output_of(start_words(start));
}

// Ignores capture ranges that cannot begin, because prof launch has not enabled what begins them.
// Then everything is recorded.
void RequestedOptions::drop_impossible_ranges() {
  CaptureRangeOptions& ranges = options_.ranges;
  const char* why = nullptr;
  if (ranges.by_nvtx && ranges.nvtx_range.empty())
    why = "-c nvtx: prof launch has named no range (-p RANGE); everything is recorded";
  else if (ranges.by_nvtx && !options_.has(wire::kFeatureNvtx))
    why = "-c nvtx: prof launch does not trace NVTX (-t nvtx); everything is recorded";
  else if (ranges.cuda_profiler_api && !options_.has(wire::kFeatureCuda))
    why = "-c cudaProfilerApi: prof launch does not trace CUDA (-t cuda); everything is recorded";
  if (why == nullptr) return;
  options_.warnings.emplace_back(why);
  ranges.enabled = ranges.numbered = ranges.open_ended = false;
  ranges.by_nvtx = ranges.cuda_profiler_api = false;
}

}  // namespace prof::session
