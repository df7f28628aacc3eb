// Rows of nsys's ENUM tables.
#pragma once

#include <cstdint>
#include <span>

#include "common/report/report_writer.hpp"

namespace prof::ingest {

// A row of one of nsys's ENUM tables, with nsys's texts.
struct EnumValue {
  const char* table;
  std::int64_t id;
  const char* name;
  const char* label;
};

inline void write_enums(report::ReportWriter& writer, std::span<const EnumValue> values) {
  for (const EnumValue& each : values) writer.add(each.table, {each.id, each.name, each.label});
}

}  // namespace prof::ingest
