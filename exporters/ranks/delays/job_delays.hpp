// Which ranks of a job are late, how late, and in which steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exporters/ranks/collectives/job_collectives.hpp"
#include "exporters/ranks/delays/delay_pattern.hpp"
#include "exporters/ranks/delays/slow_transfers.hpp"

namespace prof::ranks {

// Times in ns, over the steps that count: from the second one on if there are five.
struct RankDelay {
  std::size_t operations = 0;  // matched ones that the rank took part in
  std::size_t last = 0;        // in which it came last
  std::size_t last_steps = 0;  // in which it was later than all others
  double waited = 0;           // for others
  double late = 0;             // by which it came after the next one, the most in each step
  // Its own time since the operation before, without waits, beyond the median of the ranks (of two
  // ranks, beyond the smaller one), by cause.
  std::array<double, kCauses> delays{};
  std::array<double, kCauses> times{};  // all of its own time
  double transfers = 0;                 // the part of delays[kNetwork] by slow transfers
};

// What one rank adds to each step.
struct RankSeries {
  std::vector<double> late;
  std::array<std::vector<double>, kCauses> delays;
};

class JobDelays {
 public:
  explicit JobDelays(const JobCollectives& job);

  // Transfers that are slower than in other communicators count as delays of their ranks, by the
  // network, but not as lateness.
  const std::vector<SlowTransfers>& slow_transfers() const { return slow_; }
  // Returns by how much transfers of a rank are slower than usual in each step.
  std::vector<double> excess_of(const SlowTransfers& transfers, std::size_t rank) const;

  std::size_t steps() const { return steps_; }
  double elapsed() const { return elapsed_; }     // ns
  double median_step() const { return median_; }  // ns; 0: no steps were found
  double transfer() const { return transfer_; }   // ns, of all operations of a rank
  const std::vector<RankDelay>& ranks() const { return ranks_; }
  RankSeries series(std::size_t rank) const;
  // Returns the calls of a rank that belong to these steps, with the sequence.
  std::vector<MatchedCall> calls_in(std::size_t rank, const std::vector<std::size_t>& steps) const;
  // Returns the ranks that the rank is compared with, and itself.
  std::vector<std::size_t> peers_of(std::size_t rank) const;

 private:
  static constexpr std::size_t kNoStep = ~std::size_t{0};
  struct Group {
    const MatchedCommunicator* communicator;
    std::vector<std::size_t> steps;  // of each operation
  };
  // What a step adds to one rank.
  struct Share {
    std::size_t operations = 0;
    std::size_t last = 0;
    double waited = 0;
    double late = 0;
    std::size_t compared = 0;  // operations whose time before is known
    std::array<double, kCauses> delays{};
    std::array<double, kCauses> times{};
  };
  using Shares = std::vector<Share>;  // by rank
  // What a step adds to one rank in the communicators in which it is not compared.
  struct Other {
    std::size_t operations = 0;
    std::size_t last = 0;
    double waited = 0;
    double late = 0;
  };

  void choose_groups();
  const JobRank* find_steps(std::size_t group);
  void place(std::size_t number);
  void add_others();
  template <class Visit>
  void for_each_excess(const SlowTransfers& transfers, const Visit& visit) const;
  void add_slow_transfers();
  std::size_t step_of(std::size_t rank, std::int64_t time) const;
  void add_up();
  // Calls `visit(step, shares)` for the steps of a group.
  template <class Visit>
  void for_each_step(std::size_t number, Visit visit) const;
  void add_operation(const Group& group, std::size_t index, Shares& shares) const;
  static void compare(Shares& shares);
  void add_other(std::size_t rank, std::size_t step, Share& share) const;

  const JobCollectives& job_;
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_;       // by rank; groups_.size(): none
  std::vector<std::vector<Other>> others_;  // by rank and step; empty without other communicators
  std::vector<SlowTransfers> slow_;
  std::vector<std::vector<double>> transfers_;  // by rank and step; empty without slow ones
  std::size_t steps_ = 0;
  double elapsed_ = 0;
  double median_ = 0;
  double transfer_ = 0;
  std::vector<RankDelay> ranks_;
};

}  // namespace prof::ranks
