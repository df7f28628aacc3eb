#include "cli/options/recording/order_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <thread>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/option_kinds.hpp"
#include "collector/session/control/job_control.hpp"
#include "common/base/raw_time.hpp"
#include "common/base/text/amounts.hpp"

namespace prof::cli {

namespace {

using session::JobAnswers;
using session::OrderKind;
using std::chrono::system_clock;

constexpr auto kLongestAnswer = std::chrono::seconds(5);
constexpr auto kPause = std::chrono::milliseconds(50);
constexpr std::size_t kMostNames = 5;
// The time that an order for steps takes: ranks look for orders once a second.
constexpr double kOrderSeconds = 5;
constexpr std::int64_t kLongestDelay = 366LL * 24 * 3600 * 1'000'000'000;  // ns

std::int64_t now_realtime() { return static_cast<std::int64_t>(base::clock_ns(CLOCK_REALTIME)); }

std::string names_of(const std::vector<std::string>& collectors) {
  std::string text;
  for (std::size_t at = 0; at < std::min(collectors.size(), kMostNames); ++at)
    text += (at == 0 ? "" : ", ") + collectors[at];
  return collectors.size() > kMostNames ? text + ", …" : text;
}

// Throws Failure for a delay in ns that nobody can mean.
void check_delay(const std::string& text, std::int64_t delay) {
  if (delay < 0) throw Failure("--at " + text + ": that time has passed", kBadUsage);
  if (delay > kLongestDelay)
    throw Failure("--at " + text + ": that is more than a year away", kBadUsage);
}

}  // namespace

void add_job_order(CLI::App& app, OrderOptions& order) {
  add_filled(app, "--job", order.job,
             "Order all ranks that are recorded by prof profile --job FOLDER, on all nodes")
      ->type_name("FOLDER");
}

void add_at(CLI::App& app, OrderOptions& order) {
  add_filled(app, "--at", order.at,
             "Begin at this time: +15s, or 2026-11-27T16:00:00Z (UTC). With --job all ranks "
             "wait for the time, else this command does")
      ->type_name("TIME");
}

std::int64_t time_of(const std::string& text, std::int64_t now) {
  if (text.starts_with('+')) {
    const auto ns = base::parse_duration(std::string_view(text).substr(1));
    if (ns) {
      const auto delay =
          static_cast<std::int64_t>(std::min(*ns, static_cast<double>(2 * kLongestDelay)));
      check_delay(text, delay);
      return now + delay;
    }
  }
  std::tm parts{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::int64_t fraction = 0;
  if (end != nullptr && *end == '.')
    for (std::int64_t unit = 100'000'000; *++end >= '0' && *end <= '9'; unit /= 10)
      fraction += unit * (*end - '0');
  if (end == nullptr || std::string_view(end) != "Z")
    throw Failure("--at " + text + ": write +15s, or a time in UTC: 2026-11-27T16:00:00Z",
                  kBadUsage);
  const std::int64_t seconds = timegm(&parts);
  constexpr std::int64_t kSecond = 1'000'000'000;
  // A year of five digits does not fit 64 bits in ns.
  check_delay(text,
              std::clamp(seconds, -INT64_MAX / kSecond / 2, INT64_MAX / kSecond / 2) * kSecond +
                  fraction - now);
  return seconds * kSecond + fraction;
}

namespace {

JobAnswers await_answers(const std::string& folder, const session::JobOrder& order) {
  const auto due = std::chrono::steady_clock::now() + kLongestAnswer;
  JobAnswers answers = session::answers_to(folder, order);
  while (!answers.silent.empty() && std::chrono::steady_clock::now() < due) {
    std::this_thread::sleep_for(kPause);
    answers = session::answers_to(folder, order);
  }
  return answers;
}

// Asks all ranks where they are, and chooses the first step for all of them. Throws Failure if a
// rank cannot begin there.
session::StepRequest common_steps(const OrderOptions& order) {
  const session::JobOrder where = take(session::give_order(order.job, OrderKind::kWhere, 0));
  const JobAnswers answers = await_answers(order.job, where);
  std::uint64_t earliest = 0;
  for (const JobAnswers::Steps& rank : answers.steps) {
    if (!rank.counts)
      throw Failure("--at-step: " + rank.collector +
                    " does not count steps: prof profile --job counts those of --step-range");
    if (order.steps->multiple == 0 && order.steps->first < rank.begun)
      throw Failure(fmt::format("--at-step: step {} has passed; {} is at step {}",
                                order.steps->first, rank.collector, rank.begun - 1));
    earliest = std::max(
        earliest, rank.begun + 1 + static_cast<std::uint64_t>(rank.per_second * kOrderSeconds));
  }
  if (order.steps->multiple != 0 && answers.steps.empty())
    throw Failure("--at-step: no rank says at which step it is");
  session::StepRequest steps = *order.steps;
  steps.choose(earliest);
  return steps;
}

}  // namespace

int order_job(const OrderOptions& order, OrderKind kind) {
  std::optional<session::StepRequest> steps;
  if (order.steps) steps = common_steps(order);
  const std::int64_t time = order.at.empty() ? 0 : time_of(order.at, now_realtime());
  const session::JobOrder given = take(session::give_order(order.job, kind, time, steps));
  const JobAnswers answers = await_answers(order.job, given);
  if (answers.collectors == 0)
    print_message("prof: {}: no rank records yet; ranks that begin later follow\n", order.job);
  for (const JobAnswers::Steps& rank : answers.steps)
    print_message("prof: {}: {}\n", rank.collector,
                  rank.counts ? fmt::format("step {} has passed", steps->first)
                              : "it does not count steps (prof profile --step-range)");
  const std::size_t heard = answers.collectors - answers.silent.size() - answers.steps.size();
  fmt::print("{} of {} ranks have the order{}\n", heard, answers.collectors,
             steps ? fmt::format(", and begin at step {}", steps->first) : "");
  if (!answers.silent.empty()) print_message("prof: no answer from {}\n", names_of(answers.silent));
  return answers.silent.empty() && answers.steps.empty() ? 0 : 1;
}

void wait_until(const OrderOptions& order) {
  if (order.at.empty()) return;
  const std::chrono::nanoseconds time(time_of(order.at, now_realtime()));
  std::this_thread::sleep_until(
      system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(time)));
}

}  // namespace prof::cli
