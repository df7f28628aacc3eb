#include "cli/options/recording/order_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "collector/session/control/job_control.hpp"
#include "common/base/raw_time.hpp"
#include "common/base/text/amounts.hpp"

namespace prof::cli {

namespace {

using std::chrono::system_clock;

constexpr auto kLongestAnswer = std::chrono::seconds(5);
constexpr auto kPause = std::chrono::milliseconds(50);
constexpr std::size_t kMostNames = 5;

std::int64_t now_realtime() { return static_cast<std::int64_t>(base::clock_ns(CLOCK_REALTIME)); }

std::string names_of(const std::vector<std::string>& collectors) {
  std::string text;
  for (std::size_t at = 0; at < std::min(collectors.size(), kMostNames); ++at)
    text += (at == 0 ? "" : ", ") + collectors[at];
  return collectors.size() > kMostNames ? text + ", …" : text;
}

}  // namespace

void add_job_order(CLI::App& app, OrderOptions& order) {
  app.add_option("--job", order.job,
                 "Order all ranks that are recorded by prof profile --job FOLDER, on all nodes")
      ->type_name("FOLDER");
}

void add_at(CLI::App& app, OrderOptions& order) {
  app.add_option("--at", order.at,
                 "Begin at this time: +15s, or 2026-11-27T16:00:00Z (UTC). With --job all ranks "
                 "wait for the time, else this command does")
      ->type_name("TIME");
}

std::int64_t time_of(const std::string& text, std::int64_t now) {
  if (text.starts_with('+')) {
    const auto ns = base::parse_duration(std::string_view(text).substr(1));
    if (ns) return now + static_cast<std::int64_t>(*ns);
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
  return static_cast<std::int64_t>(timegm(&parts)) * 1'000'000'000 + fraction;
}

int order_job(const OrderOptions& order, bool starts) {
  const std::int64_t time = order.at.empty() ? 0 : time_of(order.at, now_realtime());
  const session::JobOrder given = take(session::give_order(order.job, starts, time));
  const auto due = std::chrono::steady_clock::now() + kLongestAnswer;
  session::JobAnswers answers = session::answers_to(order.job, given);
  while (!answers.silent.empty() && std::chrono::steady_clock::now() < due) {
    std::this_thread::sleep_for(kPause);
    answers = session::answers_to(order.job, given);
  }
  if (answers.collectors == 0)
    print_message("prof: {}: no rank records yet; ranks that begin later follow\n", order.job);
  const std::size_t heard = answers.collectors - answers.silent.size();
  fmt::print("{} of {} ranks have the order\n", heard, answers.collectors);
  if (answers.silent.empty()) return 0;
  print_message("prof: no answer from {}\n", names_of(answers.silent));
  return 1;
}

void wait_until(const OrderOptions& order) {
  if (order.at.empty()) return;
  const std::chrono::nanoseconds time(time_of(order.at, now_realtime()));
  std::this_thread::sleep_until(
      system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(time)));
}

}  // namespace prof::cli
