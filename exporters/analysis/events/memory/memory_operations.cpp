#include "exporters/analysis/events/memory/memory_operations.hpp"

#include "exporters/analysis/events/rows.hpp"

#include <array>

namespace prof::events {

namespace {

// The labels of the ENUM tables, because some reports lack those tables.
constexpr std::array kCopyKinds = {"Unknown",
                                   "Host-to-Device",
                                   "Device-to-Host",
                                   "Host-to-Array",
                                   "Array-to-Host",
                                   "Array-to-Array",
                                   "Array-to-Device",
                                   "Device-to-Array",
                                   "Device-to-Device",
                                   "Host-to-Host",
                                   "Peer-to-Peer",
                                   "Unified Host-to-Device",
                                   "Unified Device-to-Host",
                                   "Unified Device-to-Device"};
constexpr std::array kMemoryKinds = {"Pageable", "Pinned",        "Device",         "Array",
                                     "Managed",  "Device Static", "Managed Static", "Unknown"};

template <std::size_t N>
const char* label(const std::array<const char*, N>& labels, std::int64_t kind) {
  return kind >= 0 && kind < static_cast<std::int64_t>(N) ? labels[static_cast<std::size_t>(kind)]
                                                          : "Unknown";
}

}  // namespace

base::Status for_each_memory_operation(const report::ReportReader& reader,
                                       const std::function<void(const MemoryOperation&)>& visit) {
  const auto walk = [&](const char* table, const report::ScanColumn& kind) -> base::Status {
    if (!reader.has_table(table)) return {};
    return for_each_event(
        reader, {table, {kind, "bytes", "deviceId"}},
        [&](const Times& times, const report::Row& row) {
          visit({row.integer(0), times.duration(), row.integer(1), row.integer(2)});
        });
  };
  if (base::Status copies = walk(kMemcpyTable, "copyKind"); !copies) return copies;
  return walk(kMemsetTable, report::ScanColumn::constant(-1));
}

std::string memory_operation_name(std::int64_t kind) {
  if (kind == kMemset) return "[CUDA memset]";
  return std::string("[CUDA memcpy ") + label(kCopyKinds, kind) + "]";
}

const char* memory_kind_name(std::int64_t kind) { return label(kMemoryKinds, kind); }

}  // namespace prof::events
