#include "exporters/ranks/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/events/selection/thinning.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::ranks {

using base::Result;
using base::Status;

namespace {

Result<Sum> sum_of(const report::ReportReader& reader, const Request& request) {
  Sum sum;
  const char* estimated = request.sum->estimated_table;
  if (estimated != nullptr && events::has_weights(reader, estimated)) {
    sum.has_estimates = true;
    return sum;
  }
  const stats::Statistic* statistic = stats::find_statistic(request.sum->name);
  if (!stats::has_table(*statistic, reader)) return sum;
  auto groups = request.sum->collect(reader, request.arguments);
  if (!groups) return tl::make_unexpected(groups.error());
  for (stats::ValueGroup& group : *groups) {
    const Values values{ValueTable(std::move(group.values)),
                        {group.totals.begin(), group.totals.end()}};
    merge(sum.groups[std::move(group.labels)], values);
  }
  return sum;
}

constexpr std::string_view kRecipe = "recipe:";

Result<Request> recipe_request(std::string_view words) {
  const std::string_view name = words.substr(kRecipe.size());
  for (const stats::MergeableSum& sum : stats::recipe_sums())
    if (sum.name == name) return Request{std::string(words), &sum};
  return base::fail(fmt::format("partial results have nothing for the recipe {}", name));
}

}  // namespace

Result<Request> request_of(std::string_view words) {
  if (words.starts_with(kRecipe)) return recipe_request(words);
  const std::size_t colon = std::min(words.find(':'), words.size());
  const stats::Statistic* statistic = stats::find_statistic(words.substr(0, colon));
  if (statistic == nullptr)
    return base::fail(fmt::format("unknown statistic {}", words.substr(0, colon)));
  const stats::MergeableSum* sum = stats::find_mergeable_sum(statistic->name);
  if (sum == nullptr)
    return base::fail(fmt::format("{} cannot be merged over ranks", statistic->name));
  const std::string_view rest = words.substr(std::min(colon + 1, words.size()));
  const auto arguments = stats::parse_arguments(rest, statistic->takes);
  if (!arguments) return tl::make_unexpected(arguments.error());
  const std::string name = statistic->name;
  return Request{rest.empty() ? name : fmt::format("{}:{}", name, rest), sum, *arguments};
}

std::vector<Request> usual_requests() {
  std::vector<Request> requests;
  for (const char* name :
       {"nvtx_sum", "nvtx_gpu_proj_sum", "osrt_sum", "syscall_sum", "openmp_sum", "openacc_sum",
        "cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum"})
    requests.push_back({name, stats::find_mergeable_sum(name)});
  return requests;
}

std::vector<Request> requests_of_files() {
  std::vector<Request> requests = usual_requests();
  for (const stats::MergeableSum& sum : stats::recipe_sums())
    requests.push_back({fmt::format("{}{}", kRecipe, sum.name), &sum});
  return requests;
}

Result<Partial> map_report(const report::ReportReader& reader, const std::vector<ReportRank>& ranks,
                           const std::vector<Request>& requests, const report::EventFilter& filter,
                           const Limits& limits) {
  Partial partial;
  for (const ReportRank& rank : ranks) {
    report::EventFilter of_rank;
    of_rank.processes = rank.processes;
    if (const Status made = events::make_views(reader, events::both(filter, of_rank)); !made)
      return tl::make_unexpected(made.error());
    Partial part;
    Sums& sums = part[rank.unit];
    for (const Request& request : requests) {
      auto sum = sum_of(reader, request);
      if (!sum) return tl::make_unexpected(sum.error());
      limit(*sum, limits);
      sums[request.name] = *std::move(sum);
    }
    merge(partial, part, limits);  // a rank may have several attempts
  }
  if (const Status finished = reader.finish(); !finished)
    return tl::make_unexpected(finished.error());
  return partial;
}

}  // namespace prof::ranks
