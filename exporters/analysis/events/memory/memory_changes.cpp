#include "exporters/analysis/events/memory/memory_changes.hpp"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::events {

namespace {

constexpr std::int64_t kAllocation = 0;  // ENUM_CUDA_DEV_MEM_EVENT_OPER

// Live allocations by process and address.
class LiveMemory {
 public:
  struct Allocation {
    MemoryKey key;
    std::int64_t bytes;
    std::int64_t number;
  };

  void allocate(std::int64_t address, const Allocation& allocation) {
    live_[allocation.key.global_pid][address] = allocation;
  }
  // Removes and returns the allocation at the address, if there is one.
  std::optional<Allocation> release(std::int64_t global_pid, std::int64_t address) {
    const auto node = live_[global_pid].extract(address);
    if (node.empty()) return std::nullopt;
    return node.mapped();
  }

 private:
  std::unordered_map<std::int64_t, std::unordered_map<std::int64_t, Allocation>> live_;
};

// Returns the column, or NULL if the report does not have it.
const char* column_of(const report::ReportReader& reader, const char* column) {
  return reader.has_column(kMemoryUsageTable, column) ? column : "NULL";
}

}  // namespace

base::Status for_each_memory_change(const report::ReportReader& reader,
                                    const std::function<void(const MemoryChange&)>& visit) {
  LiveMemory live;
  std::int64_t allocations = 0;
  return for_each_row(
      reader,
      fmt::format("SELECT start, globalPid, deviceId, memKind, memoryOperationType, address, "
                  "bytes, name, {} FROM {} WHERE COALESCE({}, 0) = 0 ORDER BY start, rowid",
                  column_of(reader, "correlationId"), kMemoryUsageTable,
                  column_of(reader, "importedMemoryPoolAddress")),
      [&](const report::Statement& row) {
        const MemoryKey key{row.integer(1), row.integer(2), row.integer(3)};
        const std::int64_t address = row.integer(5);
        MemoryChange change{row.integer(0), key,        false, row.integer(6), 0,
                            row.integer(8), row.text(7)};
        // If an address is allocated again, it was freed in between, even if the release was not
        // recorded.
        if (const auto freed = live.release(key.global_pid, address))
          visit({change.time, freed->key, true, -freed->bytes, freed->number, change.correlation,
                 change.name});
        if (row.integer(4) != kAllocation) return;
        change.allocation = allocations++;
        live.allocate(address, {key, change.bytes, change.allocation});
        visit(change);
      });
}

}  // namespace prof::events
