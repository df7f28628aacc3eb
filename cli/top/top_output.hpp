// Snapshots of prof top, for people and for scripts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/top/top_snapshot.hpp"

namespace prof::cli {

struct TopView {
  std::optional<TopKind> kind;  // empty: the first rows of all kinds
  TopOrder order = TopOrder::kTime;
  std::string filter;
  std::size_t width = 120;
  std::size_t lines = 0;  // 0: as many as there are
  bool color = false;
};

// The parts of the heading share as many lines as they need.
std::vector<std::string> top_lines(const TopSnapshot& snapshot, const TopView& view,
                                   const std::vector<std::string>& heading);
// Returns one JSON object on one line.
std::string top_json(const TopSnapshot& snapshot, const TopView& view);

}  // namespace prof::cli
