#include "cli/options/recording/thinning_options.hpp"

#include <charconv>
#include <cmath>

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"

namespace prof::cli {

namespace {

constexpr double kMinimum = 0.1;
constexpr double kMaximum = 50;
constexpr double kMillionthsOfPercent = 10'000;

std::uint32_t parse_share(const std::string& text) {
  const char* const end = text.data() + text.size();
  double percent = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  const bool is_number = error == std::errc() && (rest == end || std::string(rest, end) == "%");
  if (!is_number || !(percent >= kMinimum) || !(percent <= kMaximum))
    throw Failure("--max-overhead " + text + ": write a share of the time, 0.1% to 50%", kBadUsage);
  return static_cast<std::uint32_t>(std::lround(percent * kMillionthsOfPercent));
}

}  // namespace

void add_thinning_options(CLI::App& app, session::SessionOptions& options) {
  add_parsed(
      app, "--max-overhead",
      [&options](const std::string& text) {
        options.max_overhead = parse_share(text);
        options.features |= wire::kFeatureThinning;
      },
      "Leave out some OS-runtime calls and NVTX ranges, so that recording them costs each thread "
      "at most this share of its CPU time. Statistics are scaled. Example: 1%")
      ->type_name("PERCENT");
}

void check_thinning_options(const session::SessionOptions& options) {
  if (!options.has(wire::kFeatureThinning)) return;
  if (options.has(wire::kFeatureFileAccess))
    throw Failure("--osrt-file-access=true follows all calls: it does not go with --max-overhead",
                  kBadUsage);
  if (!options.has(wire::kFeatureOsrt) && !options.has(wire::kFeatureNvtx))
    throw Failure("--max-overhead needs osrt or nvtx in --trace", kBadUsage);
}

}  // namespace prof::cli
