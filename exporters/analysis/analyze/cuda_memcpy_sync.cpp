// cuda_memcpy_sync: copies for which the host waits.
#include "exporters/analysis/analyze/catalog.hpp"
#include "exporters/analysis/analyze/memory_calls.hpp"

namespace prof::analyze {

namespace {

// True if the host waits for the copy. See "API synchronization behavior" in the manual of the CUDA
// runtime. Copies within and between devices do not wait. Small copies to the device return as soon
// as they are staged.
bool blocks(const MemoryCall& copy) {
  constexpr std::int64_t kHostToDevice = 1;
  constexpr std::int64_t kDeviceToDevice = 8;
  constexpr std::int64_t kPeerToPeer = 10;
  constexpr std::int64_t kStaged = 64 * 1024;
  if (copy.copy_kind == kHostToDevice) return copy.bytes > kStaged;
  return copy.copy_kind != kDeviceToDevice && copy.copy_kind != kPeerToPeer;
}

}  // namespace

base::Result<tables::Table> cuda_memcpy_sync(const report::ReportReader& reader, const Arguments&) {
  tables::Table table = copy_table();
  const base::Status read = for_each_copy(reader, [&](const MemoryCall& copy) {
    if (is_sync(copy.api_name, "cudaMemcpy") && blocks(copy)) add_row(table, copy);
  });
  if (!read) return tl::make_unexpected(read.error());
  sort_longest_first(table);
  return table;
}

}  // namespace prof::analyze
