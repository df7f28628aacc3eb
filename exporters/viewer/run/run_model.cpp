#include "exporters/viewer/run/run_model.hpp"

#include <malloc.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "common/base/thread_priority.hpp"
#include "exporters/ranks/parallel.hpp"
#include "exporters/ranks/picture/report_head.hpp"
#include "exporters/viewer/run/run_collectives.hpp"

namespace prof::view {

namespace {

using Heads = std::vector<base::Result<ranks::ReportHead>>;

Heads read_heads(const std::vector<std::string>& paths) {
  Heads heads(paths.size(), base::fail("was not read"));
  ranks::for_each_number(paths.size(), 0, [&](std::size_t i) {
    try {
      heads[i] = ranks::read_or_make_head(paths[i]);
    } catch (const std::exception& error) {
      heads[i] = base::fail(paths[i] + ": " + error.what());
    }
  });
  return heads;
}

std::int64_t first_rank(const ranks::ReportHead& head) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const ranks::ReportRank& each : head.ranks)
    if (each.unit.rank) first = std::min(first, *each.unit.rank);
  return first;
}

}  // namespace

RunModel::RunModel(RunInput input) : input_(std::move(input)) {
  thread_ = std::thread([this] { run(); });
}

RunModel::~RunModel() { thread_.join(); }

std::shared_ptr<const RunState> RunModel::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void RunModel::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return state_->is_complete; });
}

void RunModel::publish(RunState state) {
  malloc_trim(0);  // returns the memory of the reports that were read
  const std::lock_guard lock(mutex_);
  ++state.version;
  state_ = std::make_shared<RunState>(std::move(state));
  changed_.notify_all();
}

void RunModel::run() {
  try {
    RunState state = *this->state();
    state.ranks = read_ranks();
    publish(state);
    base::lower_thread_priority();  // the picture of the ranks comes first
    add_collectives(*state.ranks);
    add_path(*state.ranks);
  } catch (const std::exception& error) {
    RunState state = *this->state();
    state.faults.push_back(std::string("internal error: ") + error.what());
    publish(std::move(state));
  }
  RunState state = *this->state();
  state.is_complete = true;
  publish(std::move(state));
}

std::shared_ptr<const RunRanks> RunModel::read_ranks() const {
  auto result = std::make_shared<RunRanks>();
  result->left_out = input_.left_out;
  Heads heads = read_heads(input_.reports);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < heads.size(); ++i)
    if (heads[i])
      order.push_back(i);
    else
      result->left_out.push_back(heads[i].error().message);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return first_rank(*heads[i]); });
  std::vector<ranks::PlannedReport> planned;
  for (const std::size_t i : order) planned.push_back({input_.reports[i], heads[i]->ranks});
  ranks::JobPlan plan = ranks::plan_job(std::move(planned));
  result->left_out.insert(result->left_out.end(), plan.left_out.begin(), plan.left_out.end());
  result->remarks = std::move(plan.remarks);
  result->reports = std::move(plan.reports);
  std::vector<ranks::ReportClock> clocks;
  auto next = order.begin();
  for (std::size_t report = 0; report < result->reports.size(); ++report, ++next) {
    while (input_.reports[*next] != result->reports[report].path) ++next;
    ranks::ReportHead& head = *heads[*next];
    for (const ranks::ReportRank& rank : result->reports[report].ranks)
      if (rank.unit.rank)
        result->ranks.push_back(
            {rank.unit, rank.attempt, report, std::move(head.pictures[rank.place])});
    clocks.push_back(std::move(head.clock));
  }
  std::ranges::stable_sort(result->ranks, {}, [](const RunRank& each) {
    return std::pair(*each.unit.rank, each.attempt);
  });
  result->alignment = ranks::Alignment(ranks::estimate_clocks(clocks));
  return result;
}

void RunModel::add_collectives(const RunRanks& ranks) {
  RunState state = *this->state();
  auto found = read_run_collectives(ranks, input_.range_of, state.faults);
  if (found)
    state.collectives = *std::move(found);
  else
    state.faults.push_back(found.error().message);
  publish(std::move(state));
}

void RunModel::add_path(const RunRanks& ranks) {
  RunState state = *this->state();
  if (!state.collectives) return;
  auto path = ranks::find_job_path(ranks.reports, state.collectives->job, path::PathBy::kWork,
                                   [](const auto&) { return base::Result<report::EventFilter>(); });
  if (path)
    state.path = std::make_shared<ranks::JobPath>(*std::move(path));
  else
    state.faults.push_back("no critical path: " + path.error().message);
  publish(std::move(state));
}

}  // namespace prof::view
