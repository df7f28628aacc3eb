#include "exporters/viewer/run/heat.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "exporters/ranks/parallel.hpp"

namespace prof::view {

namespace {

constexpr HeatState kStates[kHeatStates] = {
    {"compute", "compute"},
    {"communication", "exposed communication"},
    {"copies", "exposed copies"},
    {"launch", "idle: launch or synchronization"},
    {"data", "idle: data loading"},
    {"cpu", "idle: the CPU is late"},
    {"idle", "idle for another reason"},
    {"wait", "waits for another rank"},
};

using Shares = std::array<float, kHeatStates>;

// Puts the bins of one rank into the columns of the common clock.
class Row {
 public:
  Row(const RunState& state, std::size_t rank, const Heat& heat)
      : picture_(state.ranks->ranks[rank].picture), columns_(heat.columns) {
    const std::size_t report = state.ranks->ranks[rank].report;
    const auto column_of = [&](std::int64_t time) {
      return static_cast<double>(state.common(report, time) - heat.start) /
             static_cast<double>(heat.width);
    };
    first_ = column_of(picture_.begin);
    per_bin_ = (column_of(picture_.end) - first_) *
               std::ldexp(1.0, static_cast<int>(picture_.shift)) /
               static_cast<double>(std::max<std::int64_t>(1, picture_.end - picture_.begin));
    if (state.collectives) waits_ = &state.collectives->wait_shares[rank];
  }

  // Returns the share of each column that a state has.
  std::vector<float> shares(std::size_t state) const {
    std::vector<float> result(columns_);
    for (std::size_t bin = 0; bin < picture_.bins(); ++bin)
      if (const float share = share_of(bin, state); share != 0)
        for_each_column(bin,
                        [&](std::size_t column, float part) { result[column] += share * part; });
    return result;
  }

  // Returns the shares of all states in each column.
  std::vector<Shares> shares() const {
    std::vector<Shares> result(columns_);
    for (std::size_t bin = 0; bin < picture_.bins(); ++bin) {
      Shares shares;
      for (std::size_t state = 0; state < kHeatStates; ++state)
        shares[state] = share_of(bin, state);
      for_each_column(bin, [&](std::size_t column, float part) {
        for (std::size_t state = 0; state < kHeatStates; ++state)
          result[column][state] += shares[state] * part;
      });
    }
    return result;
  }

 private:
  float share_of(std::size_t bin, std::size_t state) const {
    constexpr auto kCommunication = static_cast<std::size_t>(ranks::RankState::kCommunication);
    int share = state == kWaitState ? 0 : picture_.shares[state][bin];
    if (waits_ != nullptr && state == kWaitState) share = (*waits_)[bin];
    if (waits_ != nullptr && state == kCommunication) share -= (*waits_)[bin];
    return static_cast<float>(share) / ranks::RankPicture::kWholeBin;
  }

  // Calls `use` with each column that a bin is in, and the part of the column that it takes.
  template <class Use>
  void for_each_column(std::size_t bin, const Use& use) const {
    const double start = std::max(0.0, first_ + per_bin_ * static_cast<double>(bin));
    const double end =
        std::min(static_cast<double>(columns_), first_ + per_bin_ * static_cast<double>(bin + 1));
    for (auto column = static_cast<std::size_t>(start); static_cast<double>(column) < end;
         ++column) {
      const double from = std::max(start, static_cast<double>(column));
      const double to = std::min(end, static_cast<double>(column + 1));
      if (to > from) use(column, static_cast<float>(to - from));
    }
  }

  const ranks::RankPicture& picture_;
  std::size_t columns_;
  const std::vector<std::uint8_t>* waits_ = nullptr;
  double first_ = 0;    // the column in which the first bin begins
  double per_bin_ = 0;  // columns
};

void fill_share(const Row& row, std::size_t state, std::uint8_t* values) {
  for (const float share : row.shares(state))
    *values++ = static_cast<std::uint8_t>(std::lround(255 * std::min(1.0F, share)));
}

void fill_largest(const Row& row, std::uint8_t* values) {
  for (const Shares& shares : row.shares()) {
    const auto largest = std::ranges::max_element(shares);
    const float share = std::min(1.0F, *largest);
    if (share > 0)
      *values = static_cast<std::uint8_t>((largest - shares.begin() + 1) << 4 |
                                          static_cast<int>(15 * share + 0.5F));
    ++values;
  }
}

template <class Number>
void append(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xff);
}

}  // namespace

const HeatState& heat_state(std::size_t state) { return kStates[state]; }

insight::Interval span_of(const RunState& state) {
  insight::Interval span{std::numeric_limits<std::int64_t>::max(),
                         std::numeric_limits<std::int64_t>::min()};
  for (const RunRank& each : state.ranks->ranks) {
    if (each.picture.bins() == 0) continue;
    span.start = std::min(span.start, state.common(each.report, each.picture.begin));
    span.end = std::max(span.end, state.common(each.report, each.picture.end));
  }
  return span.start < span.end ? span : insight::Interval();
}

namespace {

// Returns an empty picture with `columns` columns or fewer.
Heat grid_of(const RunState& state, std::size_t columns) {
  Heat heat;
  const insight::Interval span = span_of(state);
  const auto most = static_cast<std::int64_t>(columns);
  heat.start = span.start;
  heat.width = std::max<std::int64_t>(1, (span.length() + most - 1) / most);
  heat.columns = static_cast<std::size_t>((span.length() + heat.width - 1) / heat.width);
  return heat;
}

}  // namespace

std::vector<std::vector<float>> shares_of_ranks(const RunState& state, std::size_t columns) {
  const Heat grid = grid_of(state, columns);
  std::vector<std::vector<float>> result(state.ranks->ranks.size());
  ranks::for_each_number(result.size(), 0, [&](std::size_t rank) {
    const Row row(state, rank, grid);
    for (std::size_t each = 0; each < kHeatStates; ++each) {
      const std::vector<float> shares = row.shares(each);
      result[rank].insert(result[rank].end(), shares.begin(), shares.end());
    }
  });
  return result;
}

Heat heat_of(const RunState& state, std::optional<std::size_t> only) {
  Heat heat = grid_of(state, Heat::kMostColumns);
  heat.values.resize(state.ranks->ranks.size() * heat.columns);
  if (heat.columns == 0) return heat;
  ranks::for_each_number(state.ranks->ranks.size(), 0, [&](std::size_t rank) {
    const Row row(state, rank, heat);
    std::uint8_t* values = heat.values.data() + rank * heat.columns;
    if (only)
      fill_share(row, *only, values);
    else
      fill_largest(row, values);
  });
  return heat;
}

std::string bytes_of(const Heat& heat) {
  std::string bytes = "PRH1";
  append(bytes,
         static_cast<std::uint32_t>(heat.columns == 0 ? 0 : heat.values.size() / heat.columns));
  append(bytes, static_cast<std::uint32_t>(heat.columns));
  append(bytes, std::uint32_t{0});
  append(bytes, heat.start);
  append(bytes, heat.width);
  append(bytes, static_cast<std::uint64_t>(heat.values.size()));
  bytes.append(heat.values.begin(), heat.values.end());
  return bytes;
}

}  // namespace prof::view
