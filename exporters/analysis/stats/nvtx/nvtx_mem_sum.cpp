// nvtx_mem_sum: heaps that programs describe with NVTX (nvtxMem*), and the regions in them.
#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/range_names.hpp"
#include "exporters/analysis/stats/catalog.hpp"

namespace prof::stats {

using tables::CellKind;

namespace {

constexpr const char* kMemoryTable = "PROF_NVTX_MEMORY";

struct HeapKey {
  std::int64_t global_pid;
  std::int64_t domain;
  std::int64_t heap;
  auto operator<=>(const HeapKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct NamedHeap {
  std::string name;
  tables::Cell size;
  std::set<std::int64_t> regions;
  std::int64_t registered = 0;                                 // bytes
  std::int64_t left = 0;                                       // bytes that were never unregistered
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;  // time, bytes
};

void add_region(NamedHeap& heap, const report::Row& row) {
  const std::int64_t size = row.integer(7);
  // A region has several rows if it has several sizes, but its memory is registered once.
  if (heap.regions.insert(row.integer(6)).second) heap.registered += size;
  heap.changes.emplace_back(row.integer(0), size);
  if (row.is_null(1))
    heap.left += size;
  else
    heap.changes.emplace_back(row.integer(1), -size);
}

// Returns the largest amount of memory in regions at one time, and that time.
std::pair<std::int64_t, std::int64_t> peak_of(NamedHeap& heap) {
  std::ranges::sort(heap.changes);  // of changes at the same time, releases come first
  std::int64_t now = 0;
  std::pair<std::int64_t, std::int64_t> peak{0, 0};
  for (const auto& [time, change] : heap.changes) {
    now += change;
    if (now > peak.first) peak = {now, time};
  }
  return peak;
}

std::string name_of(const HeapKey& key, const NamedHeap& heap) {
  if (!heap.name.empty()) return heap.name;
  return key.heap == 0 ? "whole process" : "heap " + std::to_string(key.heap);
}

}  // namespace

base::Result<tables::Table> nvtx_mem_sum(const report::ReportReader& reader, const Arguments&) {
  events::RangeNames names(reader);
  std::map<HeapKey, NamedHeap> heaps;
  const base::Status read = report::scan(
      reader,
      {kMemoryTable,
       {"start", "end", "globalTid", "domainId", report::ScanColumn::null(), "nameId", "regionId",
        "size", "heapId"}},
      [&](const report::Row& row) {
        NamedHeap& heap =
            heaps[{events::global_pid_of(row.integer(2)), row.integer(3), row.integer(8)}];
        if (!row.is_null(6)) return add_region(heap, row);
        if (!row.is_null(5)) heap.name = names.text(names.number(row, 2));
        if (!row.is_null(7)) heap.size = row.integer(7);
      });
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table{{{"Peak (bytes)", CellKind::kInteger},
                       {"Peak Time (ns)", CellKind::kInteger},
                       {"Regions", CellKind::kInteger},
                       {"Registered (bytes)", CellKind::kInteger},
                       {"Never Unregistered (bytes)", CellKind::kInteger},
                       {"Heap Size (bytes)", CellKind::kInteger},
                       {"PID", CellKind::kInteger},
                       {"Heap", CellKind::kText}},
                      {}};
  for (auto& [key, heap] : heaps) {
    const auto [peak, time] = peak_of(heap);
    table.rows.push_back({peak, peak == 0 ? tables::Cell{} : tables::Cell{time},
                          static_cast<std::int64_t>(heap.regions.size()), heap.registered,
                          heap.left, heap.size, events::pid_of(key.global_pid),
                          name_of(key, heap)});
  }
  tables::sort_descending(table, 0);
  return table;
}

}  // namespace prof::stats
