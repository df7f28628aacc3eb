// The layer of NVTX ranges and marks.
#include <fmt/format.h>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/viewer/timeline/layers/layer_parts.hpp"

namespace prof::timeline {

namespace {

// Returns the color of an event without its alpha. 0: the program did not set a color.
std::uint32_t color_of(const report::Row& row, int column) {
  const std::int64_t color = row.integer(column);
  return color == 0 ? Names::kNoColor : static_cast<std::uint32_t>(color) & 0xffffff;
}

enum NvtxType : std::int64_t { kMark = 34, kDomain = 75 };

// Reads an event. The columns are globalTid, domainId, eventType, text, textId, color, isOpen.
void read_nvtx(const report::Row& row, ScanContext& context, Reading& event) {
  event.key.ids = {row.integer(kFirst), row.integer(kFirst + 1), 0, 0};
  const std::int64_t type = row.integer(kFirst + 2);
  event.is_event = type == kMark || type == events::kPushPopRange || type == events::kStartEndRange;
  if (!event.is_event) {
    if (type == kDomain)
      context.domains[{events::process_of(row.integer(kFirst)), row.integer(kFirst + 1)}] =
          row.is_null(kFirst + 3) ? std::string(context.names.string_text(row.integer(kFirst + 4)))
                                  : std::string(row.text(kFirst + 3));
    return;
  }
  const std::uint32_t color = color_of(row, kFirst + 5);
  event.name = row.is_null(kFirst + 3) ? context.names.string(row.integer_or(kFirst + 4, -1), color)
                                       : context.names.text(row.text(kFirst + 3), color);
  event.is_open = row.integer(kFirst + 6) != 0;
  if (type == events::kStartEndRange) event.layout = Layout::kFirstFit;
  if (type == kMark) {
    event.layout = Layout::kInstants;
    event.flags = kInstant;
  }
}

}  // namespace

void add_nvtx_layer(const report::ReportReader& reader, std::vector<Layer>& layers) {
  if (!reader.has_column(events::kNvtxTable, "eventType")) return;
  Source source;
  source.table = events::kNvtxTable;
  source.columns = fmt::format(
      "globalTid, {}, eventType, {}, {}, {}, {}", column(reader, source.table, "domainId"),
      column(reader, source.table, "text"), column(reader, source.table, "textId"),
      column(reader, source.table, "color"), column(reader, source.table, "isOpen"));
  source.open_ends = true;
  source.read = read_nvtx;
  layers.push_back(layer_of(RowKind::kNvtx, TreeLevel::kDomain, std::move(source)));
}

}  // namespace prof::timeline
