#include "collector/ingest/oshmem/shmem_builder.hpp"

#include <algorithm>

#include "collector/ingest/calls/call_row.hpp"

namespace prof::ingest {

void ShmemBuilder::call(std::int64_t global_tid, const wire::ShmemCallRecord& record) {
  using Row = report::ShmemRow;
  ++events_;
  auto row = call_row<Row>(clock_, functions_, global_tid, record);
  if (record.bytes >= 0) row.set<&Row::bytes>(record.bytes);
  if (record.peer >= 0) row.set<&Row::peer>(record.peer);
  last_time_ = std::max(last_time_, row.end);
  writer_.add(row);
}

}  // namespace prof::ingest
