// The rows of one table in a Perfetto trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exporters/formats/perfetto/packets.hpp"
#include "exporters/formats/perfetto/tracks.hpp"
#include "exporters/formats/trace/lanes.hpp"
#include "exporters/formats/trace/slices.hpp"

namespace prof::formats {

class PerfettoRows {
 public:
  // `nests` means that slices of a row may be nested.
  PerfettoRows(PacketStream& stream, PerfettoTracks& tracks, const SliceNames& names, bool nests)
      : stream_(stream), tracks_(tracks), names_(names), nests_(nests) {}
  PerfettoRows(const PerfettoRows&) = delete;
  PerfettoRows& operator=(const PerfettoRows&) = delete;
  ~PerfettoRows() {
    for (Row& row : rows_)
      row.lanes.finish([&](std::size_t lane, std::int64_t end) { row.tracks[lane].end(end); });
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }
  // Adds row number size().
  void add_row(std::uint64_t parent, std::string name, std::int32_t rank) {
    rows_.push_back({parent, std::move(name), rank, Lanes(nests_), {}});
  }

  void add(const Slice& slice, const SliceExtras& extras = {}) {
    Row& row = rows_[slice.row];
    const std::size_t lane = row.lanes.place(
        slice.start, slice.end, [&](std::size_t at, std::int64_t end) { row.tracks[at].end(end); });
    if (lane == row.tracks.size()) add_track(row);
    row.tracks[lane].begin(slice.start, slice.name, names_, extras);
  }
  // Adds an instant. The row must have instants only.
  void add_instant(const Slice& slice, const SliceExtras& extras = {}) {
    Row& row = rows_[slice.row];
    if (row.tracks.empty()) add_track(row);
    row.tracks.front().instant(slice.start, slice.name, names_, extras);
  }

 private:
  struct Row {
    std::uint64_t parent;
    std::string name;
    std::int32_t rank;
    Lanes lanes;
    std::vector<TrackSequence> tracks;  // by lane
    std::string key = {};
  };

  void add_track(Row& row) {
    if (row.tracks.empty()) row.key = std::to_string(stream_.new_track());
    row.tracks.emplace_back(stream_, tracks_.row(row.parent, row.name, row.rank, row.key));
  }

  PacketStream& stream_;
  PerfettoTracks& tracks_;
  const SliceNames& names_;
  bool nests_;
  std::vector<Row> rows_;
};

}  // namespace prof::formats
