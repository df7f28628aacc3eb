// frames: the frames of graphics programs, one by one.
#include "exporters/analysis/insight/graphics/frames.hpp"

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::Cell;
using tables::CellKind;

base::Result<tables::Table> frames(const report::ReportReader& reader, const Arguments&) {
  const auto found = insight::read_frames(reader);
  if (!found) return tl::make_unexpected(found.error());
  events::Strings strings(reader);
  tables::SharedTexts shared;
  tables::Table table{{{"Start (ns)", CellKind::kInteger},
                       {"Duration (ns)", CellKind::kInteger},
                       {"CPU (ns)", CellKind::kInteger},
                       {"GPU (ns)", CellKind::kInteger},
                       {"Present (ns)", CellKind::kInteger},
                       {"Frame", CellKind::kInteger},
                       {"Stutter", CellKind::kText},
                       {"Pid", CellKind::kInteger},
                       {"Tid", CellKind::kInteger},
                       {"Call", CellKind::kText}},
                      {}};
  for (const insight::Frame& each : found->frames)
    table.rows.push_back({each.start, each.duration(), each.duration() - each.wait(),
                          found->has_gpu_times ? Cell(each.gpu) : Cell(), each.wait(), each.number,
                          std::string(each.stutters ? "yes" : "no"),
                          events::pid_of(each.global_tid), events::tid_of(each.global_tid),
                          shared(strings.text(each.name))});
  return table;
}

}  // namespace prof::stats
