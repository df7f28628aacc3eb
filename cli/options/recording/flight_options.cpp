#include "cli/options/recording/flight_options.hpp"

#include <algorithm>
#include <charconv>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"

namespace prof::cli {

namespace {

using session::FlightOptions;
using session::FlightTrigger;

constexpr const char* kFlightGroup = "Flight recorder";
constexpr std::uint64_t kShortestWindow = 1'000'000'000;  // ns
constexpr std::uint64_t kLongestWindow = 24ULL * 3600 * 1'000'000'000;
constexpr std::uint64_t kMinMemory = std::uint64_t{4} << 20;
constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 40;
constexpr std::uint32_t kMaxReports = 3600;

// Parses "512MB", "512M", "2G". Returns bytes; 0 if the text is not a size.
std::uint64_t memory_of(std::string text) {
  if (text.size() > 1 && (text.back() == 'B' || text.back() == 'b')) text.pop_back();
  constexpr std::pair<char, unsigned> kUnits[] = {{'M', 20}, {'G', 30}};
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr + 1 != end) return 0;
  for (const auto& [unit, shift] : kUnits)
    if ((*parsed.ptr & ~0x20) == unit && number <= kMaxMemory >> shift) return number << shift;
  return 0;
}

void take_window(const std::string& text, FlightOptions& flight) {
  const std::size_t comma = text.find(',');
  std::uint64_t window = 0;
  if (!session::parse_duration(text.substr(0, comma), window) || window < kShortestWindow ||
      window > kLongestWindow)
    throw Failure("--flight-recorder " + text +
                      ": not TIME[,SIZE], such as 30s or 30s,512MB (time: 1s to 24h)",
                  kBadUsage);
  flight.window = std::chrono::nanoseconds(static_cast<std::int64_t>(window));
  if (comma == std::string::npos) return;
  flight.bytes = memory_of(text.substr(comma + 1));
  if (flight.bytes < kMinMemory || flight.bytes > kMaxMemory)
    throw Failure("--flight-recorder " + text + ": the size is not one of 4MB to 1024GB",
                  kBadUsage);
}

void take_trigger(const std::string& text, FlightOptions& flight) {
  auto trigger = session::parse_trigger(text);
  if (!trigger) throw Failure(trigger.error().message, kBadUsage);
  if (flight.triggers.size() == session::kMaxTriggers)
    throw Failure("--trigger: more than " + std::to_string(session::kMaxTriggers), kBadUsage);
  flight.triggers.push_back(std::move(*trigger));
}

[[noreturn]] void refuse(const FlightTrigger& trigger, const std::string& why) {
  throw Failure("--trigger " + trigger.words + ": " + why, kBadUsage);
}

void check_trigger(const FlightTrigger& trigger, const session::SessionOptions& options) {
  using Kind = FlightTrigger::Kind;
  const bool is_range = trigger.kind == Kind::kRange || trigger.kind == Kind::kRate;
  const bool is_cuda = trigger.kind == Kind::kCuda || trigger.kind == Kind::kCudaError ||
                       trigger.kind == Kind::kGpuIdle;
  if (is_range && !options.has(wire::kFeatureNvtx)) refuse(trigger, "needs nvtx in --trace");
  if (is_cuda && !options.has(wire::kFeatureCuda))
    refuse(trigger, "needs cuda in --trace, and a machine with CUDA");
  if (trigger.kind == Kind::kOsrt && !options.has(wire::kFeatureOsrt))
    refuse(trigger, "needs osrt in --trace");
  if (trigger.kind == Kind::kOsrt && trigger.ns < options.osrt_threshold_ns)
    refuse(trigger, "calls shorter than --osrt-threshold are not recorded");
  if (trigger.kind == Kind::kGpuIdle && options.cuda.flush_interval == 0)
    refuse(trigger, "needs a --cuda-flush-interval that is not 0");
  if (trigger.kind == Kind::kMetric && options.plugins.empty() && !options.gpu_metrics.is_on())
    refuse(trigger, "needs counters: --enable or --gpu-metrics-devices");
}

}  // namespace

void add_flight_options(CLI::App& app, session::SessionOptions& options) {
  FlightOptions& flight = options.flight;
  add_parsed(
      app, "--flight-recorder", [&flight](const std::string& text) { take_window(text, flight); },
      "Keep only the last TIME, in memory of at most SIZE, for weeks if need be. prof snapshot, "
      "SIGUSR1 to prof, --trigger and the program's end write it as a report")
      ->type_name("TIME[,SIZE]")
      ->group(kFlightGroup);
  app.add_option_function<std::vector<std::string>>(
         "--trigger",
         [&flight](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) take_trigger(text, flight);
         },
         "Write a report of the flight recorder when this happens: range:NAME:>500ms, "
         "range:NAME:>4p99, rate:NAME:<50%, rate:NAME:<10/s, cuda:NAME:>1s, cuda:NAME:error, "
         "osrt:NAME:>100ms, gpu-idle:NUMBER:>2s or metric:NAME:>90; * is any name; may be given "
         "several times")
      ->allow_extra_args(false)
      ->type_name("KIND:NAME:CONDITION")
      ->group(kFlightGroup);
  app.add_option("--trigger-limit", flight.trigger_limit,
                 "Reports that triggers write in an hour, at most")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, kMaxReports))
      ->capture_default_str()
      ->group(kFlightGroup);
  add_parsed(
      app, "--trigger-after",
      [&flight](const std::string& text) {
        std::uint64_t ns = 0;
        if (text != "0" && (!session::parse_duration(text, ns) || ns > kLongestWindow))
          throw Failure("--trigger-after " + text + ": not a time such as 1s", kBadUsage);
        flight.trigger_after = std::chrono::nanoseconds(static_cast<std::int64_t>(ns));
      },
      "The report of a trigger ends this long after it")
      ->type_name("TIME")
      ->default_str("0s")
      ->group(kFlightGroup);
}

void add_flight_session(CLI::App& app, session::FlightOptions& flight) {
  app.add_option(
         "--session-new", flight.session,
         "The name of the session of --flight-recorder or --start-later. Default: profile-PID, or "
         "[default]")
      ->type_name("NAME")
      ->group(kFlightGroup);
}

void check_flight_options(const session::SessionOptions& options) {
  const FlightOptions& flight = options.flight;
  if (!flight.is_on()) {
    if (!flight.triggers.empty() || flight.trigger_after.count() != 0)
      throw Failure("--trigger and --trigger-after need --flight-recorder (such as 30s)",
                    kBadUsage);
    return;
  }
  if (options.ranges.enabled || options.time.delay.count() != 0 || options.time.duration)
    throw Failure("--flight-recorder does not go with --capture-range, --delay and --duration",
                  kBadUsage);
  if (options.time.start_on.is_set() || options.time.stop_on.is_set() || !options.time.job.empty())
    throw Failure("--flight-recorder does not go with --start-on, --stop-on and --job", kBadUsage);
  if (options.has(wire::kFeatureFileAccess))
    throw Failure("--flight-recorder does not go with --osrt-file-access", kBadUsage);
  if (flight.trigger_after >= flight.window)
    throw Failure("--trigger-after is not shorter than what --flight-recorder keeps", kBadUsage);
  for (const FlightTrigger& trigger : flight.triggers) check_trigger(trigger, options);
}

}  // namespace prof::cli
