// Projects the NVTX ranges in which work of CUDA graphs was captured.
#pragma once

#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/viewer/timeline/derived/linked_rows.hpp"
#include "exporters/viewer/timeline/names.hpp"

namespace prof::timeline {

using SectionsOfStreams = std::unordered_map<RowId, Section>;

// Finds the origins of the work that is in graphs. Must be called after set_callers().
base::Status read_origins(const report::ReportReader& reader, LinkedEvents& linked);

// Adds the ranges of captures: one event for each launch of the graph, on each stream. `ids` get an
// id for each of them.
void project_captures(const LinkedEvents& linked, const Names& names, SectionsOfStreams& sections,
                      std::vector<IdMap>& ids);

}  // namespace prof::timeline
