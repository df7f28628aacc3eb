#include "cli/options/capture_range_options.hpp"

#include <signal.h>

#include <charconv>
#include <cstring>

#include "cli/failure.hpp"
#include "cli/verbs/verb.hpp"

namespace prof::cli {

namespace {

template <std::size_t n>
void copy(char (&out)[n], std::string_view text, const char* what) {
  if (text.size() >= n)
    throw Failure(std::string("the name of the ") + what + " given with -p is too long", kBadUsage);
  text.copy(out, text.size());
  out[text.size()] = '\0';
}

// The N of "repeat:N".
std::uint32_t repetitions(std::string_view text) {
  std::uint32_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || count == 0)
    throw Failure("--capture-range-end: not a number of ranges: " + std::string(text), kBadUsage);
  return count;
}

// "none", "sigterm", "TERM" or "15".
int signal_number(const std::string& text) {
  if (text == "none") return 0;
  const char* name = text.c_str();
  if (strncasecmp(name, "sig", 3) == 0) name += 3;
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* known = sigabbrev_np(signal);
    if (std::to_string(signal) == name || (known != nullptr && strcasecmp(name, known) == 0))
      return signal;
  }
  throw Failure(
      "--kill: not a signal: " + text + " (none, sigterm, sigkill, or a signal's name or number)",
      kBadUsage);
}

}  // namespace

void CaptureOptions::define(CLI::App& app) {
  const std::string group = "Capture ranges";
  app.add_option("-c,--capture-range", range_,
                 "Record only between cudaProfilerStart and cudaProfilerStop, or in the NVTX range "
                 "of --nvtx-capture")
      ->check(CLI::IsMember({"none", "cudaProfilerApi", "nvtx"}))
      ->type_name("none|cudaProfilerApi|nvtx")
      ->capture_default_str()
      ->group(group);
  app.add_option("-p,--nvtx-capture", nvtx_,
                 "With -c nvtx: RANGE of the default domain, RANGE@DOMAIN, or RANGE@* of any")
      ->type_name("RANGE[@DOMAIN]")
      ->group(group);
  app.add_option("--capture-range-end", end_,
                 "stop: record one range, let the program go on; stop-shutdown: end it too; "
                 "repeat[:N]: a report for each range, or the first N; repeat-shutdown:N: then end "
                 "the program; none: from the first range on to the end")
      ->type_name("ACTION")
      ->capture_default_str()
      ->group(group);
  add_bool(app, "--stop-on-range-end", stop_on_range_end_,
           "Older spelling: true is --capture-range-end=stop-shutdown, false is none")
      ->group(group);
  app.add_option("-k,--kill", kill_,
                 "The signal that ends the program at a shutdown; none leaves it running")
      ->type_name("none|sigterm|sigkill|SIGNAL")
      ->capture_default_str()
      ->group(group);
}

void CaptureOptions::set_end(session::CaptureRanges& ranges) const {
  const std::string end = stop_on_range_end_ ? end_ : "none";
  const auto after = [&end](std::string_view word) {
    return std::string_view(end).substr(std::min(end.size(), word.size()));
  };
  if (end == "stop" || end == "stop-shutdown") {
    ranges.count = 1;
    ranges.shutdown = end == "stop-shutdown";
  } else if (end == "none") {
    ranges.count = 1;
    ranges.config.open_ended = 1;
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

// The last @ separates: texts of ranges may hold others.
void CaptureOptions::set_nvtx(wire::CaptureConfig& config) const {
  const std::size_t at = nvtx_.rfind('@');
  const std::string_view text(nvtx_);
  copy(config.nvtx_range, text.substr(0, at), "NVTX range");
  copy(config.nvtx_domain, at == std::string::npos ? std::string_view() : text.substr(at + 1),
       "NVTX domain");
  if (config.nvtx_range[0] == '\0')
    throw Failure("-c nvtx needs the range: -p RANGE, -p RANGE@DOMAIN or -p RANGE@*", kBadUsage);
}

session::CaptureRanges CaptureOptions::ranges(bool cuda, bool nvtx) const {
  session::CaptureRanges ranges;
  ranges.kill_signal = signal_number(kill_);
  if (!nvtx_.empty() && range_ != "nvtx")
    throw Failure("-p names an NVTX range to capture; add -c nvtx", kBadUsage);
  if (range_ == "none") return ranges;
  ranges.enabled = true;
  set_end(ranges);
  if (range_ == "nvtx") {
    if (!nvtx) throw Failure("-c nvtx needs NVTX to be traced: -t nvtx", kBadUsage);
    set_nvtx(ranges.config);
  } else {
    if (!cuda) throw Failure("-c cudaProfilerApi needs CUDA to be traced: -t cuda", kBadUsage);
    ranges.config.cuda_profiler_api = 1;
  }
  return ranges;
}

}  // namespace prof::cli
