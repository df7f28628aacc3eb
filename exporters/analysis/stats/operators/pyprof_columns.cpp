#include "exporters/analysis/stats/operators/pyprof_columns.hpp"

#include <algorithm>
#include <string>

namespace prof::stats {

using tables::CellKind;

namespace {

constexpr PyprofColumnSpec kPyprofColumns[] = {
    {"idx", "Idx", CellKind::kInteger},       {"seq", "SeqId", CellKind::kText},
    {"altseq", "AltSeqId", CellKind::kText},  {"tid", "TId", CellKind::kInteger},
    {"layer", "Layer", CellKind::kText},      {"trace", "Trace", CellKind::kText},
    {"dir", "Direction", CellKind::kText},    {"sub", "Sub", CellKind::kInteger},
    {"mod", "Module", CellKind::kText},       {"op", "Op", CellKind::kText},
    {"kernel", "Kernel", CellKind::kText},    {"params", "Params", CellKind::kText},
    {"sil", "Sil(ns)", CellKind::kInteger},   {"tc", "TC", CellKind::kText},
    {"device", "Device", CellKind::kInteger}, {"stream", "Stream", CellKind::kInteger},
    {"grid", "Grid", CellKind::kText},        {"block", "Block", CellKind::kText},
    {"flops", "FLOPs", CellKind::kInteger},   {"bytes", "Bytes", CellKind::kInteger},
};
static_assert(std::size(kPyprofColumns) == static_cast<std::size_t>(PyprofColumn::kBytes) + 1);

}  // namespace

const PyprofColumnSpec& spec_of(PyprofColumn column) {
  return kPyprofColumns[static_cast<std::size_t>(column)];
}

std::vector<PyprofColumn> default_pyprof_columns() {
  return parse_pyprof_columns("c=idx:dir:sub:mod:op:kernel:params:sil").value();
}

base::Result<std::vector<PyprofColumn>> parse_pyprof_columns(std::string_view words) {
  constexpr std::string_view kPrefix = "c=";
  if (!words.starts_with(kPrefix))
    return base::fail("unknown argument " + std::string(words) + " (allowed: c=COLUMN:COLUMN:…)");
  words.remove_prefix(kPrefix.size());
  std::vector<PyprofColumn> columns;
  while (true) {
    const std::size_t end = std::min(words.find_first_of(":,"), words.size());
    const std::string_view word = words.substr(0, end);
    const auto* spec = std::ranges::find(kPyprofColumns, word, &PyprofColumnSpec::word);
    if (spec == std::end(kPyprofColumns)) {
      std::string known;
      for (const PyprofColumnSpec& each : kPyprofColumns)
        known.append(known.empty() ? "" : ", ").append(each.word);
      return base::fail("unknown column " + std::string(word) + " (known: " + known + ")");
    }
    columns.push_back(static_cast<PyprofColumn>(spec - kPyprofColumns));
    if (end == words.size()) return columns;
    words.remove_prefix(end + 1);
  }
}

}  // namespace prof::stats
