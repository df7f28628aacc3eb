// cuda_memset_sync: fills for which the host waits.
#include "exporters/analysis/analyze/catalog.hpp"
#include "exporters/analysis/analyze/memory_calls.hpp"

namespace prof::analyze {

namespace {

// True if the host waits for the fill: the memory is pinned or unified. See "API synchronization
// behavior" in the manual of the CUDA runtime.
bool fill_blocks(const MemoryCall& fill) {
  return fill.destination_kind == kPinned || fill.destination_kind == kManaged ||
         fill.destination_kind == kManagedStatic;
}

}  // namespace

base::Result<tables::Table> cuda_memset_sync(const report::ReportReader& reader, const Arguments&) {
  tables::Table table = fill_table();
  const base::Status read = for_each_fill(reader, [&](const MemoryCall& fill) {
    if (is_sync(fill.api_name, "cudaMemset") && fill_blocks(fill)) add_row(table, fill);
  });
  if (!read) return tl::make_unexpected(read.error());
  sort_longest_first(table);
  return table;
}

}  // namespace prof::analyze
