// cuda_memcpy_async: copies that are asynchronous by name, but block because of pageable memory.
#include "exporters/analysis/analyze/catalog.hpp"
#include "exporters/analysis/analyze/memory_calls.hpp"

namespace prof::analyze {

base::Result<tables::Table> cuda_memcpy_async(const report::ReportReader& reader,
                                              const Arguments&) {
  tables::Table table = copy_table();
  const base::Status read = for_each_copy(reader, [&](const MemoryCall& copy) {
    const bool pageable = copy.source_kind == kPageable || copy.destination_kind == kPageable;
    if (pageable && is_async(copy.api_name, "cudaMemcpy")) add_row(table, copy);
  });
  if (!read) return tl::make_unexpected(read.error());
  sort_longest_first(table);
  return table;
}

}  // namespace prof::analyze
