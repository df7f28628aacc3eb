// The own work of ranks before each operation of several ranks, and what it would be on others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/path/execution_model.hpp"
#include "exporters/analysis/replay/what_if.hpp"
#include "exporters/ranks/replay/job_replay.hpp"

namespace prof::ranks {

// Returns the median, or the mean. Of two values the smaller one is the median.
double typical(std::vector<double> values, replay::WhatIf::Like like);

class RankWork {
 public:
  // `replay` must outlive this object.
  explicit RankWork(const JobReplay& replay);

  // A call with the time before it, or an operation.
  using Piece = JobEvent;
  // Calls visit(piece, time) for the work of a rank.
  template <class Visit>
  void for_each_piece(std::size_t rank, Visit visit) const;
  // Multiplies what the piece takes on its own, without waits for other ranks.
  void multiply_own(const Piece& piece, std::size_t report, double factor,
                    replay::Costs& costs) const;
  bool is_part_of_job(std::size_t report, const Piece& piece) const;

  // What the work before an operation takes on the median rank or on average. CPU work is compared
  // from launch to launch if most ranks launch the same.
  struct Level {
    double cpu = 0;
    double gpu = 0;
    std::size_t calls = 0;           // the launches that the parts belong to, as a hash
    std::vector<double> parts = {};  // of `cpu`, by launch
  };
  using Levels = std::vector<std::optional<Level>>;  // by operation
  // `without` is left out.
  Levels levels(replay::WhatIf::Like like, std::optional<std::size_t> without) const;
  // Gives the work of a rank these times. Returns the number of pieces.
  std::size_t level(std::size_t rank, const Levels& levels, bool with_gpu,
                    std::vector<replay::Costs>& costs) const;

 private:
  // The own work between two operations of a rank, in ns.
  struct Segment {
    std::size_t collective;
    std::int64_t end;  // of the report
    double cpu = 0;
    double gpu = 0;
    std::size_t calls = 0;       // a hash of the names of its launches and waits for the GPU
    std::size_t first_part = 0;  // of the rank
    std::size_t end_part = 0;
  };
  struct Rank {
    std::vector<Segment> segments;
    // The parts end with a launch, a wait for the GPU, or a segment.
    std::vector<std::int64_t> part_ends;  // sorted
    std::vector<double> parts;            // CPU time, ns
  };

  void find_parts(std::size_t rank);
  void add_pieces(std::size_t rank);
  void fill_parts(Level& level, std::size_t collective, replay::WhatIf::Like like,
                  std::optional<std::size_t> without) const;

  const JobReplay& replay_;
  std::vector<Rank> ranks_;
  // By operation of several ranks: the rank and its segment.
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> places_;
  std::vector<std::vector<bool>> calls_of_parts_;  // by report: they wait for other ranks
  std::vector<std::vector<bool>> operations_of_parts_;
};

template <class Visit>
void RankWork::for_each_piece(std::size_t rank, Visit visit) const {
  const JobRank& of = replay_.job().collectives.ranks[rank];
  const path::ExecutionModel& model = replay_.job().reports[of.report].model;
  const path::HostCalls& calls = model.calls();
  const std::int64_t process = events::process_of(of.global_pid);
  for (const std::uint32_t thread : model.working_threads()) {
    const path::HostCalls::Thread& each = calls.threads()[thread];
    if (events::process_of(each.global_tid) != process) continue;
    for (std::uint32_t call = each.first; call < each.end; ++call)
      visit(Piece{false, call}, calls.start(call));
  }
  for (std::uint32_t i = 0; i < model.operations(); ++i) {
    const insight::Operation operation = model.work().at(i);
    if (operation.communication ||
        events::process_of(model.work().global_pid(operation)) != process)
      continue;
    const std::uint32_t launch = model.launch_of(i);
    visit(Piece{true, i}, launch == path::kNowhere ? operation.start : calls.start(launch));
  }
}

}  // namespace prof::ranks
