// The picture of all ranks over time, on the common clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exporters/viewer/run/run_state.hpp"

namespace prof::view {

// The states of ranks::RankState, and waits for other ranks, which are taken out of its
// communication.
inline constexpr std::size_t kHeatStates = ranks::kRankStates + 1;
inline constexpr std::size_t kWaitState = ranks::kRankStates;
struct HeatState {
  const char* name;   // "wait"
  const char* label;  // "waits for a rank"
};
const HeatState& heat_state(std::size_t state);

struct Heat {
  static constexpr std::size_t kMostColumns = 1024;

  std::int64_t start = 0;  // ns, on the common clock
  std::int64_t width = 1;  // ns of a column
  std::size_t columns = 0;
  // Rank by rank its columns. Of one state: its share of the column, of 255. Of all states: the
  // state with the largest share, plus one, in the upper four bits, and its share of 15 in the
  // lower ones; 0: nothing is known.
  std::vector<std::uint8_t> values;
};

// Returns the time that the picture has, on the common clock.
insight::Interval span_of(const RunState& state);
// Without `only` the state that each rank spends the most time in.
Heat heat_of(const RunState& state, std::optional<std::size_t> only);
// Returns the shares of each rank's states in each of some columns of that time, state by state.
std::vector<std::vector<float>> shares_of_ranks(const RunState& state, std::size_t columns);
// Header of 40 bytes: "PRH1", number of ranks, of columns, 0 (u32); start, width (i64), length of
// the values (u64). Then the values.
std::string bytes_of(const Heat& heat);

}  // namespace prof::view
