// Folds rows of threads and processes that would fill the screen: threads of one name, and
// processes that live for a short time, are listed below one row.
#pragma once

#include <cstdint>

#include "exporters/viewer/timeline/loading/facts.hpp"
#include "exporters/viewer/timeline/loading/row_tree.hpp"
#include "exporters/viewer/timeline/names.hpp"

namespace prof::timeline {

// Makes the folds of a report from the events that its rows have now, in place of earlier folds. A
// fold whose threads or processes come one after another has their times as events, in lanes.
void fold_rows(RowTree& tree, std::uint32_t report, const Facts& facts, Names& names);

}  // namespace prof::timeline
