// The parts of layers_of().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exporters/viewer/timeline/layers/layers.hpp"

namespace prof::timeline {

void add_thread_layers(const report::ReportReader& reader, std::vector<Layer>& layers);
void add_nvtx_layer(const report::ReportReader& reader, std::vector<Layer>& layers);
void add_file_layer(const report::ReportReader& reader, std::vector<Layer>& layers);
void add_gpu_layers(const report::ReportReader& reader, std::vector<Layer>& layers);
// Adds layers for tables with times that no other layer shows.
void add_other_layers(const report::ReportReader& reader, std::vector<Layer>& layers);

// The number of the first column of a source in a row.
inline constexpr int kFirst = Source::kFirstColumn;

// Returns the column in SQL, or `otherwise` if the table does not have it.
inline std::string column(const report::ReportReader& reader, const std::string& table,
                          const std::string& name, const char* otherwise = "NULL") {
  return reader.has_column(table, name) ? report::quoted(name) : otherwise;
}

// Returns a correlation id; 0: none.
inline std::uint32_t correlation_of(const report::Row& row, int column) {
  const std::int64_t id = row.integer(column);
  return id > 0 && id <= UINT32_MAX ? static_cast<std::uint32_t>(id) : 0;
}

inline Layer layer_of(RowKind kind, TreeLevel place, Source source, std::string name = {}) {
  Layer layer;
  layer.kind = kind;
  layer.place = place;
  layer.name = std::move(name);
  layer.sources.push_back(std::move(source));
  return layer;
}

// Makes an event an instant.
inline void make_instant(Reading& event) {
  event.layout = Layout::kInstants;
  event.flags = kInstant;
}

}  // namespace prof::timeline
