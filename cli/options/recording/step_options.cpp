#include "cli/options/recording/step_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/messages/failure.hpp"
#include "cli/options/capture_range_options.hpp"
#include "cli/options/name_list.hpp"
#include "cli/options/option_kinds.hpp"

namespace prof::cli {

namespace {

constexpr char kNext[] = "next:";
constexpr char kOptimizer[] = "optimizer";
// The ranges that annotations.py makes.
constexpr char kOptimizerSteps[] = "step@PyTorch steps";
// No program takes more steps. So sums of two such numbers fit.
constexpr std::uint64_t kMaxStep = std::uint64_t{1} << 62;

struct Numbers {
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // 0: there is none
};

// Parses "1000" or "1000:5". Returns nothing if it is neither.
std::optional<Numbers> parse_numbers(std::string_view text) {
  Numbers numbers;
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, numbers.first);
  const bool has_count = parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == ':';
  if (has_count) parsed = std::from_chars(parsed.ptr + 1, end, numbers.count);
  if (parsed.ec != std::errc{} || parsed.ptr != end || numbers.first > kMaxStep ||
      numbers.count > kMaxStep || (has_count && numbers.count == 0))
    return std::nullopt;
  return numbers;
}

}  // namespace

void add_step_range(CLI::App& app, std::string& range, const char* help) {
  add_filled(app, "--step-range", range, help)
      ->type_name("RANGE[@DOMAIN]|optimizer")
      ->group("Capture ranges");
}

void add_at_step(CLI::App& app, std::string& steps) {
  add_filled(app, "--at-step", steps,
             "Begin when the program begins step N, counted from 0 from its start, or the next "
             "step whose number is a multiple of M; end after COUNT steps. Default: until prof "
             "stop. Steps are the ranges of --step-range of prof launch, or with --job of prof "
             "profile")
      ->type_name("N[:COUNT]|next:M[:COUNT]");
}

std::vector<wire::StepWindow> parse_windows(const std::string& words) {
  std::vector<wire::StepWindow> windows;
  for (const std::string& word : split_names(words)) {
    const auto numbers = parse_numbers(word);
    if (!numbers && word.starts_with(kNext))
      throw Failure("--at-step " + word + ": next: is for prof start", kBadUsage);
    if (!numbers)
      throw Failure("--at-step " + word + ": write N or N:COUNT, as in 1000:5", kBadUsage);
    windows.push_back(
        {numbers->first, numbers->first + std::max<std::uint64_t>(numbers->count, 1) - 1});
    if (windows.size() > 1 && windows.back().first <= windows[windows.size() - 2].last)
      throw Failure(
          "--at-step " + words + ": write the windows in ascending order, apart from each other",
          kBadUsage);
  }
  if (windows.empty() || windows.size() > wire::kMaxStepWindows)
    throw Failure(fmt::format("--at-step: write 1 to {} windows", wire::kMaxStepWindows),
                  kBadUsage);
  return windows;
}

session::StepRequest parse_steps(const std::string& word) {
  const bool is_next = word.starts_with(kNext);
  const auto numbers = parse_numbers(std::string_view(word).substr(is_next ? sizeof kNext - 1 : 0));
  if (!numbers || (is_next && numbers->first == 0))
    throw Failure("--at-step " + word +
                      ": write N, N:COUNT, next:M or next:M:COUNT, as in 1000:5 or next:1000:5",
                  kBadUsage);
  session::StepRequest request;
  (is_next ? request.multiple : request.first) = numbers->first;
  request.count = numbers->count;
  return request;
}

bool is_optimizer(const std::string& range) { return range.empty() || range == kOptimizer; }

void choose_step_range(const std::string& range, const char* option,
                       session::SessionOptions& options) {
  const bool is_pytorch = is_optimizer(range);
  options.python.marks_steps = is_pytorch;
  need_trace(
      options, wire::kFeatureNvtx,
      (std::string(option) + ": NVTX ranges are recorded, too, because they are counted").c_str());
  set_nvtx_range(is_pytorch ? kOptimizerSteps : range, options.ranges);
}

}  // namespace prof::cli
