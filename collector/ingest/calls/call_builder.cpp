#include "collector/ingest/calls/call_builder.hpp"

#include <algorithm>

#include "collector/ingest/calls/library_calls.hpp"

namespace prof::ingest {

template <class Record>
report::OsrtRow CallBuilder::row_of(std::int64_t global_tid, const Record& record) {
  const std::int64_t end = clock_.to_ns(record.end);
  last_time_ = std::max(last_time_, end);
  return {.start = clock_.to_ns(record.start),
          .end = end,
          .global_tid = global_tid,
          .result = record.result,
          .name_id = functions_.id_of(record.header.aux),
          .nesting_level = record.header.flags};
}

void CallBuilder::write(report::OsrtRow& row, std::uint64_t start) {
  ++os_runtime_calls_;
  row.callchain = chains_.osrt_chain(start);
  writer_.add(row);
}

void CallBuilder::call(std::int64_t global_tid, const wire::CallRecord& record) {
  report::OsrtRow row = row_of(global_tid, record);
  const std::uint32_t function = record.header.aux;
  if (function >= wire::kLibraryFunctions) {
    if (write_library_call(writer_, function, {row.start, row.end, global_tid, row.name_id}))
      ++library_calls_;
    return;
  }
  row.weight = thinning_.take(wire::RecordType::kCall, function);
  write(row, record.start);
}

void CallBuilder::product(std::int64_t global_tid, const wire::MatrixProductRecord& record) {
  const std::uint32_t function = record.header.aux;
  if (wire::library_of(function) != wire::Library::kCublas ||
      record.header.flags >= wire::kProductKinds)
    return;
  const std::int64_t end = clock_.to_ns(record.end);
  last_time_ = std::max(last_time_, end);
  report::CublasRow row{{clock_.to_ns(record.start), end, global_tid, functions_.id_of(function)}};
  row.product = products_.id_of(record);
  row.nulls = 0;
  writer_.add(row);
  ++library_calls_;
}

void CallBuilder::file_call(std::uint32_t serial, std::int64_t global_tid,
                            const wire::FileCallRecord& record) {
  report::OsrtRow row = row_of(global_tid, record);
  files_.call(serial, global_tid, row.name_id, record);
  if ((record.flags & wire::kFileOnly) == 0) write(row, record.start);
}

}  // namespace prof::ingest
