#include "exporters/analysis/path/range_pieces.hpp"

#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"

namespace prof::path {

base::Result<RangePieces> RangePieces::read(const report::ReportReader& reader) {
  RangePieces result;
  if (!reader.has_table(events::kNvtxTable)) return result;
  const auto ranges = events::RangeTree::read(reader);
  if (!ranges) return tl::make_unexpected(ranges.error());
  for (std::size_t first = 0; first < ranges->size();) {
    const std::int64_t thread = ranges->at(first).global_tid;
    std::size_t end = first;
    while (end < ranges->size() && ranges->at(end).global_tid == thread) ++end;
    result.add_thread(*ranges, first, end);
    first = end;
  }
  return result;
}

void RangePieces::add_thread(const events::RangeTree& ranges, std::size_t first, std::size_t end) {
  Pieces pieces;
  struct Open {
    std::int64_t end;
    std::uint32_t name;
  };
  std::vector<Open> open;  // the outermost one first
  const auto begin_piece = [&](std::int64_t time) {
    const std::uint32_t name = open.empty() ? 0 : open.back().name;
    if (!pieces.starts.empty() && pieces.starts.back() == time) {
      pieces.names.back() = name;
      return;
    }
    pieces.starts.push_back(time);
    pieces.names.push_back(name);
  };
  const auto close_until = [&](std::int64_t time) {
    while (!open.empty() && open.back().end <= time) {
      const std::int64_t closed = open.back().end;
      open.pop_back();
      begin_piece(closed);
    }
  };
  for (std::size_t i = first; i < end; ++i) {
    const events::RangeTree::Range range = ranges.at(i);
    if (range.type != events::kPushPopRange || range.end <= range.start) continue;
    close_until(range.start);
    // A range of a damaged report may end after the one around it.
    const std::int64_t last = open.empty() ? range.end : std::min(range.end, open.back().end);
    open.push_back({last, number(ranges.name_of(range))});
    begin_piece(range.start);
  }
  close_until(INT64_MAX);
  threads_.emplace(ranges.at(first).global_tid, std::move(pieces));
}

std::uint32_t RangePieces::number(const std::string& name) {
  // A name without a domain begins with a colon.
  const std::string text = name.starts_with(':') ? name.substr(1) : name;
  const auto [at, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(text);
  return at->second;
}

const RangePieces::Pieces* RangePieces::pieces_of(std::int64_t global_tid) const {
  const auto found = threads_.find(global_tid);
  return found == threads_.end() ? nullptr : &found->second;
}

std::size_t RangePieces::place_of(const Pieces& pieces, std::int64_t time) {
  return static_cast<std::size_t>(std::ranges::upper_bound(pieces.starts, time) -
                                  pieces.starts.begin());
}

const std::string& RangePieces::name_before(const Pieces* pieces, std::size_t place) const {
  return names_[place == 0 ? 0 : pieces->names[place - 1]];
}

const std::string& RangePieces::name_at(std::int64_t global_tid, std::int64_t time) const {
  const Pieces* pieces = pieces_of(global_tid);
  return name_before(pieces, pieces == nullptr ? 0 : place_of(*pieces, time));
}

}  // namespace prof::path
