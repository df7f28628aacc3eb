// The two passes over the records of a spool.
#pragma once

#include <cstdint>
#include <functional>

#include "collector/ingest/records/row_builders.hpp"
#include "collector/spool/spool.hpp"

namespace prof::ingest {

// First pass: collects texts, function names and other definitions. Any thread can define what
// another one uses. `progress`, which may be empty, gets the fraction done.
void collect_definitions(const spool::Spool& spool, RowBuilders& builders,
                         const std::function<void(double)>& progress);

// Second pass: writes the rows, thread by thread. `progress` is as above. Returns the number of
// bytes that were skipped because they were damaged.
std::uint64_t build_rows(const spool::Spool& spool, RowBuilders& builders,
                         const std::function<void(double)>& progress);

}  // namespace prof::ingest
