#include "collector/ingest/capture_ranges.hpp"

#include <algorithm>
#include <utility>

#include "collector/spool/clock_model.hpp"
#include "collector/spool/decoder.hpp"

namespace prof::ingest {

namespace {

struct Edge {
  std::int64_t time;
  bool is_begin;
};

struct Edges {
  std::vector<Edge> found;     // in order of time
  bool may_lack_some = false;  // parts of the recording are damaged, so edges may be missing
};

Edges edges_of(const spool::Spool& spool, const spool::ClockModel& clock) {
  Edges edges;
  std::uint64_t damaged = spool.ignored_bytes + spool.notes.damaged_bytes();
  const auto collect = [&](const wire::CaptureRecord& record) {
    const bool is_begin =
        record.header.aux == static_cast<std::uint32_t>(wire::CaptureEvent::kBegin);
    edges.found.push_back({clock.to_ns(record.time), is_begin});
  };
  for (const spool::Piece& piece : spool.pieces)
    damaged += spool::decode(piece.bytes, collect).corrupt_bytes;
  std::sort(edges.found.begin(), edges.found.end(),
            [](const Edge& a, const Edge& b) { return a.time < b.time; });
  edges.may_lack_some = damaged > 0;
  return edges;
}

// A range that was never ended lasts until the end of the session. A second begin inside of a range
// starts the range there and drops what was before (prof stop --keep). In a damaged recording, a
// range whose begin is lost starts at the end of the range before.
std::vector<std::optional<Window>> capture_ranges(const Edges& edges,
                                                  const spool::ClockModel& clock) {
  std::vector<std::optional<Window>> ranges;
  bool open = false;
  std::int64_t last_end = 0;
  for (const Edge& edge : edges.found) {
    if (edge.is_begin && !open)
      ranges.push_back(Window{edge.time, std::max(clock.end(), edge.time)});
    else if (edge.is_begin)
      ranges.back()->begin = edge.time;
    else if (!edge.is_begin && open)
      ranges.back()->end = edge.time;
    else if (edges.may_lack_some)
      ranges.push_back(Window{last_end, edge.time});
    if (!edge.is_begin) last_end = edge.time;
    open = edge.is_begin;
  }
  return ranges;
}

}  // namespace

base::Result<ReportWindows> report_windows(const spool::Spool& spool) {
  const spool::SessionNote& session = spool.notes.session();
  const auto stop = spool.notes.first<spool::StopNote>();
  if (!session.capture_ranges && !stop) return ReportWindows{{std::nullopt}, false};
  const spool::ClockModel clock(spool.clocks, session.tick_rate);
  if (!session.capture_ranges)
    return ReportWindows{{Window{0, std::max<std::int64_t>(0, clock.to_ns(stop->time))}}, false};
  const Edges edges = edges_of(spool, clock);
  auto ranges = capture_ranges(edges, clock);
  if (!ranges.empty()) return ReportWindows{std::move(ranges), session.capture_ranges_numbered};
  if (edges.may_lack_some) return ReportWindows{{std::nullopt}, false};
  return ReportWindows{{Window{clock.end(), clock.end()}}, false, true};
}

std::int64_t start_realtime(const spool::Spool& spool, const std::optional<Window>& window) {
  if (spool.clocks.empty()) return 0;
  const std::int64_t zero = spool.clocks.front().monotonic;
  const std::int64_t begin = window ? window->begin : 0;
  const spool::ClockTriple* last = &spool.clocks.front();
  for (const spool::ClockTriple& each : spool.clocks)
    if (each.realtime != 0 && each.monotonic - zero <= begin && each.monotonic >= last->monotonic)
      last = &each;
  return last->realtime + begin - (last->monotonic - zero);
}

}  // namespace prof::ingest
