#include "exporters/timeline/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "exporters/events/api_calls.hpp"
#include "exporters/events/event_tables.hpp"
#include "exporters/events/global_ids.hpp"
#include "exporters/events/memory_operations.hpp"
#include "exporters/events/nvtx_ranges.hpp"

namespace prof::timeline {

namespace {

constexpr int kFirst = Source::kFirstColumn;

// The column, or `otherwise` if the table does not have it.
std::string column(const report::ReportReader& reader, const std::string& table,
                   const std::string& name, const char* otherwise = "NULL") {
  return reader.has_column(table, name) ? report::quoted(name) : otherwise;
}

std::uint32_t correlation_of(const report::Row& row, int column) {
  const std::int64_t id = row.integer(column);
  return id > 0 && id <= UINT32_MAX ? static_cast<std::uint32_t>(id) : 0;
}

// A table of calls of threads.
Source calls(const report::ReportReader& reader, std::string table) {
  Source source;
  source.columns =
      fmt::format("globalTid, {}, {}",
                  reader.has_column(table, "nameId") ? "nameId" : column(reader, table, "textId"),
                  column(reader, table, "correlationId"));
  source.table = std::move(table);
  source.read = [](const report::Row& row, ScanContext& context, Reading& event) {
    event.key.ids[0] = row.integer(kFirst);
    event.name = context.names.string(row.integer_or(kFirst + 1, -1));
  };
  return source;
}

Layer api_layer(const report::ReportReader& reader) {
  Source source = calls(reader, events::kApiTable);
  if (reader.has_column(source.table, "eventClass")) source.condition = "eventClass <> 67";
  source.read = [](const report::Row& row, ScanContext& context, Reading& event) {
    event.key.ids[0] = row.integer(kFirst);
    event.name = context.names.call(row.integer(kFirst + 1));
    event.correlation = correlation_of(row, kFirst + 2);
  };
  Layer layer;
  layer.kind = RowKind::kCudaApi;
  layer.sources.push_back(std::move(source));
  layer.side = Layer::Side::kCall;
  return layer;
}

// A table of work on the GPU. `name`: SQL for what `name_of` makes a name of.
template <class NameOf>
Layer gpu_layer(const report::ReportReader& reader, RowKind kind, std::string table,
                const std::string& name, NameOf name_of) {
  Source source;
  source.columns =
      fmt::format("{}, {}, {}, {}, {}, {}", column(reader, table, "globalPid"),
                  column(reader, table, "deviceId"), column(reader, table, "contextId"),
                  column(reader, table, "streamId"), column(reader, table, "correlationId"), name);
  source.table = std::move(table);
  source.read = [name_of](const report::Row& row, ScanContext& context, Reading& event) {
    for (int i = 0; i < 4; ++i)
      event.key.ids[static_cast<std::size_t>(i)] = row.integer(kFirst + i);
    event.correlation = correlation_of(row, kFirst + 4);
    event.name = name_of(row.integer(kFirst + 5), context.names);
    event.layout = Layout::kFirstFit;
  };
  Layer layer;
  layer.kind = kind;
  layer.place = Place::kStream;
  layer.sources.push_back(std::move(source));
  layer.side = Layer::Side::kWork;
  return layer;
}

void add_gpu_layers(const report::ReportReader& reader, std::vector<Layer>& layers) {
  const auto add = [&](RowKind kind, const char* table, const std::string& name, auto name_of) {
    if (reader.has_table(table)) layers.push_back(gpu_layer(reader, kind, table, name, name_of));
  };
  add(RowKind::kKernels, events::kKernelTable, "shortName",
      [](std::int64_t id, NameReader& names) { return names.string(id); });
  add(RowKind::kCopies, events::kMemcpyTable, "copyKind", [](std::int64_t kind, NameReader& names) {
    return names.text(events::memory_operation_name(std::max<std::int64_t>(kind, 0)));
  });
  add(RowKind::kFills, events::kMemsetTable, "0", [](std::int64_t, NameReader& names) {
    return names.text(events::memory_operation_name(events::kMemset));
  });
  add(RowKind::kGraphs, events::kGraphTable,
      column(reader, events::kGraphTable, "graphId", "graphExecId"),
      [](std::int64_t id, NameReader& names) { return names.text(fmt::format("graph {}", id)); });
}

// The color of an event, without its alpha.
std::uint32_t color_of(const report::Row& row, int column) {
  return row.is_null(column) ? Names::kNoColor
                             : static_cast<std::uint32_t>(row.integer(column)) & 0xffffff;
}

enum NvtxType : std::int64_t { kMark = 34, kDomain = 75 };

// Columns: globalTid, domainId, eventType, text, textId, color.
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
  if (type == events::kStartEndRange) event.layout = Layout::kFirstFit;
  if (type == kMark) {
    event.layout = Layout::kInstants;
    event.flags = kInstant;
  }
}

Layer nvtx_layer(const report::ReportReader& reader) {
  Source source;
  source.table = events::kNvtxTable;
  source.columns = fmt::format(
      "globalTid, {}, eventType, text, {}, {}", column(reader, source.table, "domainId"),
      column(reader, source.table, "textId"), column(reader, source.table, "color"));
  source.open_ends = true;
  source.read = read_nvtx;
  Layer layer;
  layer.kind = RowKind::kNvtx;
  layer.place = Place::kDomain;
  layer.sources.push_back(std::move(source));
  return layer;
}

}  // namespace

std::vector<Layer> layers_of(const report::ReportReader& reader) {
  std::vector<Layer> layers;
  if (reader.has_table(events::kApiTable)) layers.push_back(api_layer(reader));
  add_gpu_layers(reader, layers);
  if (reader.has_table(events::kNvtxTable)) layers.push_back(nvtx_layer(reader));
  return layers;
}

}  // namespace prof::timeline
