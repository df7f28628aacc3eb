#include "exporters/ranks/replay/rank_work.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>

#include "common/base/median.hpp"
#include "exporters/analysis/replay/changed_costs.hpp"

namespace prof::ranks {

using replay::multiply;
using replay::WhatIf;

double typical(std::vector<double> values, WhatIf::Like like) {
  if (like == WhatIf::Like::kMean)
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  return base::lower_median(values);
}

RankWork::RankWork(const JobReplay& replay)
    : replay_(replay), ranks_(replay.job().collectives.ranks.size()) {
  for (const ReportExecution& each : replay.job().reports) {
    calls_of_parts_.emplace_back(each.model.calls().size());
    operations_of_parts_.emplace_back(each.model.operations());
  }
  for (const JobReplay::Part& each : replay.parts())
    (each.event.is_on_gpu ? operations_of_parts_ : calls_of_parts_)[each.report][each.event.index] =
        true;
  for (const JobReplay::Arrival& each : replay.arrivals()) {
    Segment segment;
    segment.collective = each.collective;
    segment.end = each.time;
    ranks_[each.rank].segments.push_back(segment);
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    std::vector<Segment>& segments = ranks_[rank].segments;
    std::ranges::stable_sort(segments, {}, &Segment::end);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (places_.size() <= segments[i].collective) places_.resize(segments[i].collective + 1);
      places_[segments[i].collective].emplace_back(rank, i);
    }
    find_parts(rank);
    add_pieces(rank);
  }
}

bool RankWork::is_part_of_job(std::size_t report, const Piece& piece) const {
  return (piece.is_on_gpu ? operations_of_parts_ : calls_of_parts_)[report][piece.index];
}

void RankWork::find_parts(std::size_t rank) {
  Rank& of = ranks_[rank];
  const path::HostCalls& calls =
      replay_.job().reports[replay_.job().collectives.ranks[rank].report].model.calls();
  std::vector<std::pair<std::int64_t, std::size_t>> ends;  // with the hash of the call's name
  std::unordered_map<const path::HostCalls::Name*, std::size_t> hashes;
  for_each_piece(rank, [&](const Piece& piece, std::int64_t time) {
    if (piece.is_on_gpu) return;
    const path::HostCalls::Name& name = calls.name(piece.index);
    if (name.role != path::CallRole::kLaunch && name.role != path::CallRole::kGpuWait) return;
    const auto [at, is_new] = hashes.try_emplace(&name);
    if (is_new) at->second = std::hash<std::string>()(name.text);
    ends.emplace_back(time, at->second);
  });
  for (const Segment& each : of.segments) ends.emplace_back(each.end, 0);
  std::ranges::sort(ends);
  std::size_t part = 0;
  for (Segment& segment : of.segments) {
    segment.first_part = part;
    for (; part < ends.size() && ends[part].first <= segment.end; ++part)
      segment.calls = segment.calls * 31 + ends[part].second + 1;
    segment.end_part = part;
  }
  of.part_ends.reserve(ends.size());
  for (const auto& [time, hash] : ends) of.part_ends.push_back(time);
  of.parts.resize(ends.size());
}

void RankWork::add_pieces(std::size_t rank) {
  Rank& of = ranks_[rank];
  const std::size_t report = replay_.job().collectives.ranks[rank].report;
  const replay::ReplayModel& model = replay_.model(report);
  const replay::Costs& costs = model.measured();
  for_each_piece(rank, [&](const Piece& piece, std::int64_t time) {
    const auto at = std::ranges::lower_bound(of.segments, time, {}, &Segment::end);
    if (at == of.segments.end()) return;
    if (piece.is_on_gpu) {
      at->gpu += static_cast<double>(model.slowdowns().alone(piece.index));
      return;
    }
    auto own = static_cast<double>(costs.gaps[piece.index]);
    if (!calls_of_parts_[report][piece.index]) own += static_cast<double>(costs.calls[piece.index]);
    at->cpu += own;
    const auto part = std::ranges::lower_bound(of.part_ends, time) - of.part_ends.begin();
    of.parts[static_cast<std::size_t>(part)] += own;
  });
}

void RankWork::multiply_own(const Piece& piece, std::size_t report, double factor,
                            replay::Costs& costs) const {
  if (piece.is_on_gpu) {
    multiply(costs.operations[piece.index], factor);
    return;
  }
  multiply(costs.gaps[piece.index], factor);
  if (!calls_of_parts_[report][piece.index]) multiply(costs.calls[piece.index], factor);
}

RankWork::Levels RankWork::levels(WhatIf::Like like, std::optional<std::size_t> without) const {
  Levels result(places_.size());
  for (std::size_t collective = 0; collective < places_.size(); ++collective) {
    std::vector<double> cpu;
    std::vector<double> gpu;
    bool has_rank = !without;
    for (const auto& [rank, place] : places_[collective]) {
      has_rank |= rank == without;
      if (rank == without) continue;
      cpu.push_back(ranks_[rank].segments[place].cpu);
      gpu.push_back(ranks_[rank].segments[place].gpu);
    }
    if (!has_rank || cpu.empty()) continue;
    Level& level = result[collective].emplace();
    level.cpu = typical(std::move(cpu), like);
    level.gpu = typical(std::move(gpu), like);
    fill_parts(level, collective, like, without);
  }
  return result;
}

// The median of each part need not add up to the median of all, so parts are only shares of it.
void RankWork::fill_parts(Level& level, std::size_t collective, WhatIf::Like like,
                          std::optional<std::size_t> without) const {
  std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> by_calls;
  std::size_t all = 0;
  for (const auto& [rank, place] : places_[collective]) {
    if (rank == without) continue;
    by_calls[ranks_[rank].segments[place].calls].emplace_back(rank, place);
    ++all;
  }
  const auto most =
      std::ranges::max_element(by_calls, {}, [](const auto& each) { return each.second.size(); });
  if (most == by_calls.end() || 2 * most->second.size() < all) return;
  const auto segment_of = [&](const std::pair<std::size_t, std::size_t>& each) -> const Segment& {
    return ranks_[each.first].segments[each.second];
  };
  const Segment& first = segment_of(most->second.front());
  const std::size_t count = first.end_part - first.first_part;
  std::vector<double> values;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values.clear();
    for (const auto& each : most->second)
      if (const Segment& segment = segment_of(each); segment.end_part - segment.first_part == count)
        values.push_back(ranks_[each.first].parts[segment.first_part + i]);
    level.parts.push_back(typical(values, like));
    sum += level.parts.back();
  }
  if (sum <= 0) {
    level.parts.clear();
    return;
  }
  level.calls = most->first;
  for (double& each : level.parts) each *= level.cpu / sum;
}

std::size_t RankWork::level(std::size_t rank, const Levels& levels, bool with_gpu,
                            std::vector<replay::Costs>& costs) const {
  const Rank& of = ranks_[rank];
  const auto factor = [](double own, double other) { return own <= 0 ? 1 : other / own; };
  const std::size_t report = replay_.job().collectives.ranks[rank].report;
  std::size_t count = 0;
  for_each_piece(rank, [&](const Piece& piece, std::int64_t time) {
    const auto at = std::ranges::lower_bound(of.segments, time, {}, &Segment::end);
    if (at == of.segments.end()) return;
    ++count;
    const std::optional<Level>& level = levels[at->collective];
    if (!level) return;
    if (piece.is_on_gpu) {
      if (with_gpu) multiply_own(piece, report, factor(at->gpu, level->gpu), costs[report]);
      return;
    }
    double change = factor(at->cpu, level->cpu);
    if (at->calls == level->calls && level->parts.size() == at->end_part - at->first_part) {
      const auto part = static_cast<std::size_t>(std::ranges::lower_bound(of.part_ends, time) -
                                                 of.part_ends.begin());
      change = factor(of.parts[part], level->parts[part - at->first_part]);
    }
    multiply_own(piece, report, change, costs[report]);
  });
  return count;
}

}  // namespace prof::ranks
