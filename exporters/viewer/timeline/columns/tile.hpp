// Makes the tiles of docs/viewer-protocol.md.
#pragma once

#include <cstdint>
#include <string>

#include "exporters/viewer/timeline/columns/row_data.hpp"
#include "exporters/viewer/timeline/rows.hpp"

namespace prof::timeline {

// The time that a tile shows, on the clock of the row's report.
struct TileGrid {
  static constexpr int kSteps = 1024;

  std::int64_t base;  // on the clock of the report
  int level;

  std::int64_t step() const { return std::int64_t{1} << level; }
  std::int64_t end() const { return base + (std::int64_t{kSteps} << level); }
  std::int64_t unit() const { return level <= 4 ? 1 : step() / 16; }
  // Returns the time in units from the base, clipped to the tile.
  std::uint32_t units(std::int64_t time) const {
    if (time <= base) return 0;
    return static_cast<std::uint32_t>((time < end() ? time - base : end() - base) / unit());
  }
  // Returns the number of the step that contains a time of the tile.
  std::int64_t step_of(std::int64_t time) const {
    return time <= base ? 0 : (time - base) >> level;
  }
  std::int64_t step_start(std::int64_t number) const { return base + (number << level); }
};

// Makes a tile. `base` is on the common clock, for the header.
std::string make_tile(const Row& row, const RowData& data, const TileGrid& grid, std::int64_t base);

}  // namespace prof::timeline
