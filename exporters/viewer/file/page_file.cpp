#include "exporters/viewer/file/page_file.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "exporters/viewer/file/event_columns.hpp"
#include "exporters/viewer/file/file_answers.hpp"
#include "exporters/viewer/file/part_writer.hpp"
#include "exporters/viewer/file/single_page.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::view {

namespace {

constexpr std::string_view kMark = "<!--data-->\n";

using timeline::RowStyle;
using timeline::Snapshot;
using timeline::Span;

bool has_tiles(const timeline::Row& row) {
  return row.style == RowStyle::kCounter || row.style == RowStyle::kDensity;
}

// Returns the level of the tiles of counters and groups: the more rows, the fewer steps for each
// row.
int level_of_tiles(const Snapshot& snapshot, Span span) {
  constexpr std::int64_t kStepsOfAll = 4 << 20;
  constexpr std::int64_t kMinSteps = 1 << 10;
  constexpr std::int64_t kMaxSteps = 1 << 14;
  const auto rows = std::count_if(snapshot.rows().begin(), snapshot.rows().end(), has_tiles);
  const std::int64_t steps =
      std::clamp(kStepsOfAll / std::max<std::int64_t>(1, rows), kMinSteps, kMaxSteps);
  int level = 0;
  while (level < Snapshot::kMaxLevel && (span.end - span.start) >> level > steps) ++level;
  return level;
}

bool is_empty_tile(std::string_view tile) {
  constexpr std::size_t kCountOffset = 12;
  std::uint32_t count = 0;
  if (tile.size() >= kCountOffset + sizeof count)
    std::memcpy(&count, tile.data() + kCountOffset, sizeof count);
  return count == 0;
}

base::Status add_tiles(PartSeries& tiles, const Snapshot& snapshot, Span span) {
  const int level = level_of_tiles(snapshot, span);
  const auto index_of = [&](std::int64_t time) { return time >> level >> 10; };  // 1,024 steps
  for (const timeline::Row& row : snapshot.rows()) {
    if (!has_tiles(row)) continue;
    for (std::int64_t index = index_of(span.start); index <= index_of(span.end); ++index) {
      const std::string tile = snapshot.tile(row.id, level, index);
      if (is_empty_tile(tile)) continue;
      if (base::Status added = tiles.add(tile); !added) return added;
    }
  }
  return tiles.finish();
}

// Fails if a report changed after it was opened.
base::Status check_unchanged(const Answers& answers) {
  for (const ServedReport& report : answers.sources().reports)
    if (const auto reader = report.read(); !reader) return base::fail(reader.error().text);
  return {};
}

base::Result<PageFileContents> write_parts(const Answers& answers, Span wanted,
                                           PartWriter& writer) {
  const auto snapshot = answers.sources().timeline->snapshot();
  PageFileContents contents;
  EventCounts counts;
  PartSeries events(writer, "events");
  for (const timeline::Row& row : snapshot->rows()) {
    const EventColumns columns = event_columns(*snapshot, row.id, wanted);
    if (columns.events == 0) continue;
    counts[row.id] = columns.events;
    contents.events += columns.events;
    if (base::Status added = events.add(columns.bytes); !added)
      return tl::make_unexpected(added.error());
  }
  const Span span{std::max(wanted.start, snapshot->span().start),
                  std::min(wanted.end, snapshot->span().end)};
  PartSeries tiles(writer, "tiles");
  const Details details = details_part(answers, wanted);
  contents.with_details = details.events;
  const auto rows = rows_part(answers, wanted, counts);
  if (!rows) return base::fail(rows.error().text);
  base::Status status = events.finish();
  if (status && span.start <= span.end) status = add_tiles(tiles, *snapshot, span);
  if (status) status = writer.write("rows", *rows);
  if (status) status = writer.write("names", names_part(answers));
  if (status) status = writer.write("answers", answers_part(answers, wanted));
  if (status) status = writer.write("details", details.part);
  if (status) status = check_unchanged(answers);
  if (!status) return tl::make_unexpected(status.error());
  return contents;
}

}  // namespace

base::Result<PageFileContents> write_page_file(const Answers& answers, Span span,
                                               const formats::Output& output) {
  timeline::Timeline& timeline = *answers.sources().timeline;
  timeline.wait();
  if (const auto snapshot = timeline.snapshot(); snapshot->failed())
    return base::fail(snapshot->messages().empty() ? "the report cannot be read"
                                                   : snapshot->messages().back());
  const std::string text = single_page();
  const std::string_view page(text);
  const std::size_t mark = page.find(kMark);
  if (base::Status written = output(page.substr(0, mark)); !written)
    return tl::make_unexpected(written.error());
  PartWriter writer(output);
  auto contents = write_parts(answers, span, writer);
  if (!contents) return contents;
  if (base::Status written = output(page.substr(mark + kMark.size())); !written)
    return tl::make_unexpected(written.error());
  return contents;
}

}  // namespace prof::view
