#include <algorithm>

#include "collector/ingest/decoder.hpp"
#include "collector/ingest/report_builder.hpp"

namespace prof::ingest {

namespace {

bool session_says(const Spool& spool, const char* what) {
  for (const auto& note : spool.notes)
    if (note.value("type", "") == "session") return note.value(what, false);
  return false;
}

double tick_rate(const Spool& spool) {
  for (const auto& note : spool.notes)
    if (note.value("type", "") == "session") return note.value("tick_rate", 1e9);
  return 1e9;
}

struct Edge {
  std::int64_t time;
  bool is_begin;
};

std::vector<Edge> edges_of(const Spool& spool, const ClockModel& clock) {
  std::vector<Edge> edges;
  const auto collect = [&](const wire::CaptureRecord& record) {
    const bool is_begin =
        record.header.aux == static_cast<std::uint32_t>(wire::CaptureEvent::kBegin);
    edges.push_back({clock.to_ns(record.time), is_begin});
  };
  for (const Piece& piece : spool.pieces) decode(piece.bytes, collect);
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.time < b.time; });
  return edges;
}

}  // namespace

bool has_capture_ranges(const Spool& spool) { return session_says(spool, "capture_ranges"); }

bool numbers_capture_ranges(const Spool& spool) {
  return session_says(spool, "capture_ranges_numbered");
}

// A range that never ended goes on to the end of the session.
std::vector<Window> capture_ranges(const Spool& spool) {
  const ClockModel clock(spool.clocks, tick_rate(spool));
  std::vector<Window> ranges;
  bool open = false;
  for (const Edge& edge : edges_of(spool, clock)) {
    if (edge.is_begin && !open)
      ranges.push_back({edge.time, std::max(clock.end(), edge.time)});
    else if (!edge.is_begin && open)
      ranges.back().end = edge.time;
    open = edge.is_begin;
  }
  return ranges;
}

}  // namespace prof::ingest
