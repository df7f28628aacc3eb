#include "collector/ingest/calls/call_builder.hpp"

#include <algorithm>

#include "collector/ingest/calls/library_calls.hpp"

namespace prof::ingest {

void CallBuilder::call(std::int64_t global_tid, const wire::CallRecord& record) {
  const std::int64_t start = clock_.to_ns(record.start);
  const std::int64_t end = clock_.to_ns(record.end);
  const std::uint32_t function = record.header.aux;
  last_time_ = std::max(last_time_, end);
  const std::int32_t name = functions_.id_of(function);
  if (function >= wire::kLibraryFunctions) {
    if (write_library_call(writer_, function, {start, end, global_tid, name})) ++library_calls_;
    return;
  }
  ++os_runtime_calls_;
  writer_.add(report::OsrtRow{.start = start,
                              .end = end,
                              .global_tid = global_tid,
                              .result = record.result,
                              .callchain = chains_.osrt_chain(record.start),
                              .weight = thinning_.take(wire::RecordType::kCall, function),
                              .name_id = name,
                              .nesting_level = record.header.flags});
}

void CallBuilder::file_call(std::uint32_t serial, std::int64_t global_tid,
                            const wire::FileCallRecord& record) {
  const std::int64_t start = clock_.to_ns(record.start);
  const std::int64_t end = clock_.to_ns(record.end);
  last_time_ = std::max(last_time_, end);
  const std::int32_t name = functions_.id_of(record.header.aux);
  files_.call(serial, global_tid, name, record);
  if ((record.flags & wire::kFileOnly) != 0) return;
  ++os_runtime_calls_;
  writer_.add(report::OsrtRow{.start = start,
                              .end = end,
                              .global_tid = global_tid,
                              .result = record.result,
                              .callchain = chains_.osrt_chain(record.start),
                              .name_id = name,
                              .nesting_level = record.header.flags});
}

}  // namespace prof::ingest
