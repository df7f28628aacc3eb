#include "cli/options/capture_range_options.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/recording/step_options.hpp"
#include "cli/options/words/nsys_options.hpp"

namespace prof::cli {

namespace {

constexpr const char* kCaptureRangeGroup = "Capture ranges";

void check_length(std::string_view name, std::size_t capacity, const char* what) {
  if (name.size() >= capacity)
    throw Failure(std::string("the name of the ") + what + " given with -p is too long", kBadUsage);
}

// Returns the N of "repeat:N".
std::uint32_t repetitions(std::string_view text) {
  std::uint32_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || count == 0)
    throw Failure("--capture-range-end: not a number of ranges: " + std::string(text), kBadUsage);
  return count;
}

constexpr char kEndOption[] = "--capture-range-end";

// Takes nsys's ":sync", ":async" or ":defer", which say when reports are written, from the end of
// the word. Warns about what prof does in another way.
void take_writing_mode(std::string& end, std::vector<std::string>& warnings) {
  const std::size_t colon = end.rfind(':');
  if (colon == std::string::npos) return;
  const std::string mode = end.substr(colon + 1);
  const char* note = find_nsys_value(kEndOption, mode);
  if (note == nullptr || !end.starts_with("repeat")) return;
  if (*note != '\0') warnings.push_back(note_on_value(kEndOption, mode));
  end.resize(colon);
}

// Sets what happens at the end of a range.
void set_end(std::string end, session::SessionOptions& options) {
  session::CaptureRangeOptions& ranges = options.ranges;
  take_writing_mode(end, options.warnings);
  const auto after = [&end](std::string_view word) {
    return std::string_view(end).substr(std::min(end.size(), word.size()));
  };
  if (end == "stop" || end == "stop-shutdown") {
    ranges.count = 1;
    ranges.shutdown = end == "stop-shutdown";
  } else if (end == "none") {
    ranges.count = 1;
    ranges.open_ended = true;
  } else if (end.starts_with("repeat-shutdown:")) {
    ranges.count = repetitions(after("repeat-shutdown:"));
    ranges.shutdown = ranges.numbered = true;
  } else if (end == "repeat") {
    ranges.numbered = true;
  } else if (end.starts_with("repeat:")) {
    ranges.count = repetitions(after("repeat:"));
    ranges.numbered = true;
  } else {
    throw Failure("--capture-range-end: unknown action " + end +
                      " (known: none, stop, stop-shutdown, repeat[:N], repeat-shutdown:N)",
                  kBadUsage);
  }
}

bool is_range(const CaptureRangeWords& words, session::SessionOptions& options) {
  if (words.range == "hotkey")
    options.warnings.emplace_back(
        "-c hotkey: a program has no window for hot keys (see prof launch, prof start and prof "
        "stop); everything is recorded");
  return words.range == "cudaProfilerApi" || words.range == "nvtx";
}

void resolve_steps(const CaptureRangeWords& words, session::SessionOptions& options) {
  session::CaptureRangeOptions& ranges = options.ranges;
  if (words.range != "none" || !words.nvtx.empty())
    throw Failure(
        "--at-step does not go with --capture-range and --nvtx-capture: both say when to record "
        "(--step-range names the NVTX range to count)",
        kBadUsage);
  ranges.enabled = true;
  ranges.windows = parse_windows(words.at_step);
  set_end(words.is_end_given ? words.end : "stop", options);
  const auto windows = static_cast<std::uint32_t>(ranges.windows.size());
  if (!ranges.open_ended) {
    ranges.count = ranges.numbered ? std::min(ranges.count, windows) : windows;
    ranges.numbered = ranges.numbered || windows > 1;  // a report has one capture range
  }
  ranges.windows.resize(ranges.count);
  choose_step_range(words.step_range, "--at-step", options);
}

void resolve_frames(const CaptureRangeWords& words, session::SessionOptions& options) {
  if (words.range != "none")
    throw Failure(
        "--start-frame-index and --duration-frames do not go with --capture-range: both say when "
        "to record",
        kBadUsage);
  session::CaptureRangeOptions& ranges = options.ranges;
  ranges.enabled = true;
  ranges.first_frame = std::max(words.first_frame, 1U);
  ranges.frames = words.frames;
  set_end(ranges.frames == 0 || !words.stop_on_range_end ? "none" : words.end, options);
  if ((options.graphics & wire::kGraphicsVulkan) != 0) return;
  need_trace(options, wire::library_feature(static_cast<std::uint32_t>(wire::Library::kOpenGl)),
             "--start-frame-index, --duration-frames: OpenGL is recorded, too, because its frames "
             "are counted");
}

}  // namespace

void need_trace(session::SessionOptions& options, std::uint32_t feature, const char* text) {
  if (options.has(feature)) return;
  options.features |= feature;
  options.warnings.emplace_back(text);
}

// Splits RANGE@DOMAIN at the last @, because texts of ranges may contain others.
void set_nvtx_range(const std::string& words, session::CaptureRangeOptions& ranges) {
  const std::size_t at = words.rfind('@');
  ranges.by_nvtx = true;
  ranges.nvtx_range = words.substr(0, at);
  if (at != std::string::npos) ranges.nvtx_domain = words.substr(at + 1);
  check_length(ranges.nvtx_range, sizeof(wire::CaptureConfig::nvtx_range), "NVTX range");
  check_length(ranges.nvtx_domain, sizeof(wire::CaptureConfig::nvtx_domain), "NVTX domain");
  if (ranges.nvtx_range.empty())
    throw Failure("an NVTX range is RANGE, RANGE@DOMAIN or RANGE@*: " + words, kBadUsage);
}

int find_signal(const std::string& text) {
  const char* name = text.c_str();
  if (strncasecmp(name, "sig", 3) == 0) name += 3;
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* known = sigabbrev_np(signal);
    if (std::to_string(signal) == name || (known != nullptr && strcasecmp(name, known) == 0))
      return signal;
  }
  return 0;
}

int signal_number(const std::string& text) {
  if (text == "none" || text == "false") return 0;  // nsys for Windows has true and false
  if (text == "true") return SIGTERM;
  if (const int signal = find_signal(text)) return signal;
  throw Failure(
      "--kill: not a signal: " + text + " (none, sigterm, sigkill, or a signal's name or number)",
      kBadUsage);
}

void add_nvtx_capture(CLI::App& app, CaptureRangeWords& words) {
  app.add_option("-p,--nvtx-capture", words.nvtx,
                 "With -c nvtx, the range: RANGE (in the default domain), RANGE@DOMAIN, or RANGE@* "
                 "(in any domain)")
      ->type_name("RANGE[@DOMAIN]")
      ->group(kCaptureRangeGroup);
}

void add_capture_range(CLI::App& app, CaptureRangeWords& words) {
  app.add_option("-c,--capture-range", words.range,
                 "Record only between cudaProfilerStart and cudaProfilerStop, or in the NVTX range "
                 "of --nvtx-capture")
      ->check(CLI::IsMember({"none", "cudaProfilerApi", "nvtx", "hotkey"}))
      ->type_name("none|cudaProfilerApi|nvtx")
      ->capture_default_str()
      ->group(kCaptureRangeGroup);
}

CLI::Option* add_kill(CLI::App& app, std::string& word, const char* help) {
  return app.add_option("-k,--kill", word, help)
      ->type_name("none|sigterm|sigkill|SIGNAL")
      ->capture_default_str();
}

void add_capture_range_options(CLI::App& app, CaptureRangeWords& words) {
  add_capture_range(app, words);
  add_nvtx_capture(app, words);
  const auto take_end = [&words](const std::string& end) {
    words.end = end;
    words.is_end_given = true;
  };
  add_parsed(app, "--capture-range-end", take_end,
             "stop: record one range; the program continues. stop-shutdown: record one range, "
             "then end the program. repeat[:N]: write a report for each range, or for the "
             "first N. repeat-shutdown:N: the same, then end the program. none: record from "
             "the start of the first range to the end of the program. Default with --at-step: stop")
      ->type_name("ACTION")
      ->default_str(words.end)
      ->group(kCaptureRangeGroup);
  add_bool(app, "--stop-on-range-end", words.stop_on_range_end,
           "Older spelling: true is --capture-range-end=stop-shutdown, false is none")
      ->group(kCaptureRangeGroup);
  app.add_option("--start-frame-index", words.first_frame,
                 "Record from this frame of a graphics program on, counted from 1 in each process")
      ->check(CLI::PositiveNumber)
      ->type_name("FRAME")
      ->group(kCaptureRangeGroup);
  app.add_option("--duration-frames", words.frames,
                 "Record this number of frames; what happens then, --capture-range-end says")
      ->check(CLI::PositiveNumber)
      ->type_name("FRAMES")
      ->group(kCaptureRangeGroup);
  add_kill(app, words.kill,
           "The signal that ends the program at a shutdown. none: the program continues");
  add_filled(app, "--at-step", words.at_step,
             "Record only COUNT steps (default: 1) after N steps, which are not recorded; "
             "several such windows are comma-separated, up to 16, and each gets a report. All "
             "ranks of a job count "
             "alike. The steps are the ranges of --step-range, or PyTorch's optimizer steps")
      ->type_name("N[:COUNT],…")
      ->group(kCaptureRangeGroup);
  add_step_range(
      app, words.step_range,
      "The NVTX range whose instances --at-step counts: RANGE, RANGE@DOMAIN, or RANGE@*. "
      "optimizer: PyTorch's steps. With --job they are counted for prof start --at-step");
}

std::string why_never_entered(const CaptureRangeWords& words) {
  if (!words.at_step.empty())
    return fmt::format("--at-step {}: the program ended before that step{}", words.at_step,
                       is_optimizer(words.step_range)
                           ? " of PyTorch's optimizer (--step-range names an NVTX range to count)"
                           : ", counted by the NVTX range " + words.step_range);
  if (words.first_frame != 0 || words.frames != 0)
    return fmt::format("--start-frame-index {}: it showed no such frame",
                       std::max(words.first_frame, 1U));
  if (words.range == "cudaProfilerApi")
    return "-c cudaProfilerApi: it did not call cudaProfilerStart (torch.cuda.profiler.start)";
  if (words.nvtx.empty()) return "-c nvtx: the range of prof launch -p did not begin";
  const bool has_domain = words.nvtx.find('@') != std::string::npos;
  return "-c nvtx: no NVTX range " + words.nvtx + " began" +
         (has_domain ? "" : " in the default domain (-p '" + words.nvtx + "@*': in any domain)");
}

// The range does not begin a recording before prof start --at-step.
void resolve_launched_steps(const CaptureRangeWords& words, session::SessionOptions& options) {
  session::CaptureRangeOptions& ranges = options.ranges;
  if (words.step_range.empty()) return;
  if (!words.nvtx.empty() && words.nvtx != words.step_range)
    throw Failure("--nvtx-capture and --step-range: a session watches one range, not two",
                  kBadUsage);
  const bool is_started = ranges.by_nvtx;
  choose_step_range(words.step_range, "--step-range", options);
  ranges.by_nvtx = is_started;
  ranges.counts_steps = true;
}

void resolve_nvtx_capture(const CaptureRangeWords& words, session::CaptureRangeOptions& ranges) {
  if (words.nvtx.empty()) return;
  const bool is_started = ranges.by_nvtx;  // the range begins by prof start -c nvtx
  set_nvtx_range(words.nvtx, ranges);
  ranges.by_nvtx = is_started;
}

void resolve_started_range(const CaptureRangeWords& words, session::SessionOptions& options) {
  session::CaptureRangeOptions& ranges = options.ranges;
  if (!words.at_step.empty()) {
    if (words.range != "none" || options.time.start_on.is_set())
      throw Failure(
          "--at-step does not go with --capture-range and --start-on: they say when to "
          "begin, too",
          kBadUsage);
    ranges.enabled = ranges.by_nvtx = true;
    ranges.count = 1;
    ranges.at_step = parse_steps(words.at_step);
    return;
  }
  if (!is_range(words, options)) return;
  ranges.enabled = true;
  set_end(words.end, options);
  if (ranges.shutdown)
    options.warnings.push_back(note_on_value(kEndOption, words.end.substr(0, words.end.find(':'))));
  ranges.shutdown = false;
  (words.range == "nvtx" ? ranges.by_nvtx : ranges.cuda_profiler_api) = true;
}

void resolve_capture_ranges(const CaptureRangeWords& words, session::SessionOptions& options) {
  session::CaptureRangeOptions& ranges = options.ranges;
  ranges.kill_signal = signal_number(words.kill);
  if (!words.at_step.empty()) return resolve_steps(words, options);
  if (words.first_frame != 0 || words.frames != 0) return resolve_frames(words, options);
  if (!options.time.job.empty())
    resolve_launched_steps(words, options);
  else if (!words.step_range.empty())
    options.warnings.emplace_back("--step-range: no effect without --at-step or --job");
  const bool by_nvtx = words.range == "nvtx";
  if (!by_nvtx && !words.nvtx.empty())
    options.warnings.emplace_back("--nvtx-capture: no effect without -c nvtx");
  if (!is_range(words, options)) return;
  if (by_nvtx && words.nvtx.empty()) {
    options.warnings.emplace_back("-c nvtx names no range (-p RANGE): everything is recorded");
    return;
  }
  ranges.enabled = true;
  set_end(words.stop_on_range_end ? words.end : "none", options);
  if (by_nvtx) {
    need_trace(options, wire::kFeatureNvtx,
               "-c nvtx: NVTX ranges are recorded, too, because one of them begins the recording");
    set_nvtx_range(words.nvtx, ranges);
  } else {
    need_trace(options, wire::kFeatureCuda,
               "-c cudaProfilerApi: CUDA is recorded, too, because a call of it begins the "
               "recording");
    ranges.cuda_profiler_api = true;
  }
}

}  // namespace prof::cli
