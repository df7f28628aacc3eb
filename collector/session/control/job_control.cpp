#include "collector/session/control/job_control.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "common/base/folder.hpp"
#include "common/base/raw_time.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/text_file.hpp"

namespace prof::session {

namespace {

constexpr std::size_t kMaxLine = 256;
constexpr std::string_view kVerbs[] = {"start", "stop", "where"};  // by OrderKind

std::string order_file(const std::string& folder) { return folder + "/control"; }
std::string answers_folder(const std::string& folder) { return folder + "/control.d"; }

// Replaces the file as a whole, so that nobody reads a half.
base::Status write_line(const std::string& path, const std::string& line) {
  const std::string temporary = base::temporary_name(path);
  std::FILE* file = std::fopen(temporary.c_str(), "we");
  if (file == nullptr) return base::fail_errno("cannot write " + path, errno);
  const bool written = std::fputs(line.c_str(), file) >= 0;
  if (std::fclose(file) == 0 && written && std::rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  const int error = errno;
  unlink(temporary.c_str());
  return base::fail_errno("cannot write " + path, error);
}

std::optional<JobOrder> read_order(const std::string& folder) {
  const auto text = base::read_text_file(order_file(folder), kMaxLine);
  if (!text) return std::nullopt;
  std::istringstream words(*text);
  std::string verb;
  JobOrder order;
  if (!(words >> verb >> order.id >> order.time)) return std::nullopt;
  const auto kind = std::ranges::find(kVerbs, verb);
  if (kind == std::end(kVerbs)) return std::nullopt;
  order.kind = static_cast<OrderKind>(kind - std::begin(kVerbs));
  StepRequest steps;
  if (words >> steps.first >> steps.count) order.steps = steps;
  return order;
}

// Adds what a collector's line says about its steps.
void add_steps(const std::string& collector, const std::string& line, JobAnswers& answers) {
  std::istringstream words(line);
  std::string state;
  JobAnswers::Steps steps{collector};
  words >> state;
  steps.counts = state != "uncounted";
  steps.has_passed = state == "passed";
  const bool is_complete = state == "steps" ? !!(words >> steps.begun >> steps.per_second)
                                            : !steps.has_passed || !!(words >> steps.begun);
  if (is_complete && (state == "steps" || steps.has_passed || !steps.counts))
    answers.steps.push_back(std::move(steps));
}

}  // namespace

JobControl::JobControl(std::string folder, std::string own)
    : folder_(std::move(folder)), own_(std::move(own)) {
  next_look_ = Clock::now() + std::chrono::milliseconds(base::random_number() % kInterval.count());
}

JobControl::JobControl(JobControl&& other) noexcept
    : folder_(std::move(other.folder_)),
      own_(std::exchange(other.own_, {})),
      next_look_(other.next_look_),
      seen_(std::move(other.seen_)),
      pending_(std::move(other.pending_)) {}

JobControl::~JobControl() {
  if (!own_.empty()) unlink(own_.c_str());
}

base::Status create_job_folder(const std::string& folder) {
  for (const std::string& each : {folder, answers_folder(folder)})
    if (mkdir(each.c_str(), 0777) != 0 && errno != EEXIST)
      return base::fail_errno("--job: cannot create " + each, errno);
  return {};
}

base::Result<JobControl> JobControl::create(const std::string& folder) {
  if (const base::Status made = create_job_folder(folder); !made)
    return tl::make_unexpected(made.error());
  const std::string answers = answers_folder(folder);
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const std::string own = fmt::format("{}/{}.{}", answers, host, getpid());
  if (const base::Status written = write_line(own, "waiting\n"); !written)
    return base::fail("--job: " + written.error().message);
  return JobControl(folder, own);
}

void JobControl::acknowledge(const std::string& state, const JobOrder& order) const {
  static_cast<void>(write_line(own_, fmt::format("{} {}\n", state, order.id)));
}

// An order for steps is one that this collector can follow if the answer is "accepted".
std::string JobControl::answer_to(const JobOrder& order, const StepPace* pace) const {
  const bool is_where = order.kind == OrderKind::kWhere;
  if (!is_where && !order.steps) return "accepted";
  if (pace == nullptr) return "uncounted";
  if (is_where) return fmt::format("steps {} {:.3f}", pace->begun(), pace->per_second());
  if (order.steps->first < pace->begun()) return fmt::format("passed {}", pace->begun());
  return "accepted";
}

void JobControl::look(const StepPace* pace) {
  auto order = read_order(folder_);
  if (!order || order->id == seen_) return;
  seen_ = order->id;
  const std::string answer = answer_to(*order, pace);
  acknowledge(answer, *order);
  if (answer == "accepted") pending_ = std::move(order);
}

std::optional<JobOrder> JobControl::poll(Clock::time_point now, const StepPace* pace) {
  if (now >= next_look_) {
    next_look_ = now + kInterval;
    look(pace);
  }
  if (!pending_ || pending_->time > static_cast<std::int64_t>(base::clock_ns(CLOCK_REALTIME)))
    return std::nullopt;
  return std::exchange(pending_, std::nullopt);
}

base::Result<JobOrder> give_order(const std::string& folder, OrderKind kind, std::int64_t time,
                                  const std::optional<StepRequest>& steps) {
  const std::string id = fmt::format("{:08x}{:08x}", base::random_number(), base::random_number());
  JobOrder order{kind, id, time, steps};
  std::string line = fmt::format("{} {} {}", kVerbs[static_cast<int>(kind)], order.id, time);
  if (steps) line += fmt::format(" {} {}", steps->first, steps->count);
  const base::Status written = write_line(order_file(folder), line + '\n');
  if (!written) return tl::make_unexpected(written.error());
  return order;
}

JobAnswers answers_to(const std::string& folder, const JobOrder& order) {
  JobAnswers answers;
  base::for_each_name(answers_folder(folder), [&](std::string_view name) {
    if (base::is_temporary_name(name)) return;
    ++answers.collectors;
    const auto text =
        base::read_text_file(answers_folder(folder) + '/' + std::string(name), kMaxLine);
    if (!text || !text->ends_with(' ' + order.id + '\n'))
      answers.silent.emplace_back(name);
    else
      add_steps(std::string(name), *text, answers);
  });
  return answers;
}

}  // namespace prof::session
