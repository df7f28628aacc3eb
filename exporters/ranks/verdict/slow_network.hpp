// Which rank's network is slow, by what its interfaces counted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/insight/intervals.hpp"
#include "exporters/ranks/collectives/job_collectives.hpp"
#include "exporters/ranks/delays/job_delays.hpp"
#include "exporters/ranks/delays/late_ranks.hpp"

namespace prof::ranks {

class SlowNetwork {
 public:
  // `job` and `delays` must outlive this object.
  SlowNetwork(const JobCollectives& job, const JobDelays& delays) : job_(job), delays_(delays) {}

  // Reads what the interfaces counted while transfers were slow. Of the ranks that took part, the
  // one whose interfaces lost most is the slow one. Transfers that are slow only at times are added
  // if interfaces lost packets meanwhile, and mostly then.
  base::Status add(std::vector<LateRank>& late) const;

 private:
  struct Culprit {
    std::size_t rank = 0;
    double lost = 0;
    bool is_mostly_then = false;
    std::string text;
  };
  base::Result<Culprit> culprit_of(const SlowTransfers& slow) const;
  insight::Intervals times_of(const SlowTransfers& slow, std::size_t rank) const;

  const JobCollectives& job_;
  const JobDelays& delays_;
};

}  // namespace prof::ranks
