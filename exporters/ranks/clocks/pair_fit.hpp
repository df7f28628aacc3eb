// Estimates the difference of two clocks from the ends of operations on both.
#pragma once

#include <cstdint>
#include <vector>

namespace prof::ranks {

// An operation that both clocks have seen the end of.
struct EndDifference {
  double time;         // ns
  double difference;   // ns, end on the second clock - end on the first one
  std::uint64_t kind;  // operations of one kind have one bias
};

// difference = offset + drift * (time - middle) + bias of the kind + noise. The biases of the kinds
// sum up to zero: a bias that all have in common is part of the offset.
struct PairFit {
  double offset = 0;           // ns, at `middle`
  double drift = 0;            // ns per ns
  double middle = 0;           // ns
  double noise = 0;            // ns, of one end, without outliers
  double offset_variance = 0;  // ns², by the noise
  double drift_variance = 0;
  double spread = 0;         // ns, from the first to the last end
  double bias_variance = 0;  // ns², of a kind; 0 with one kind
  std::size_t kinds = 0;
  double wander =
      0;  // ns, how far the clocks stray from a constant drift, at one standard deviation
};

// Fits by iteratively reweighted least squares: an end that is late counts little. `differences` is
// not empty.
PairFit fit_pair(const std::vector<EndDifference>& differences);

}  // namespace prof::ranks
