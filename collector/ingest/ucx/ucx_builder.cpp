#include "collector/ingest/ucx/ucx_builder.hpp"

#include <algorithm>

#include "collector/ingest/calls/call_row.hpp"

namespace prof::ingest {

template <class Row, class Record>
Row UcxBuilder::row_of(std::int64_t global_tid, const Record& record) {
  auto row = call_row<Row>(clock_, functions_, global_tid, record);
  last_time_ = std::max(last_time_, row.end);
  return row;
}

template <class Row>
Row UcxBuilder::transfer_of(std::int64_t global_tid, const wire::UcpTransferRecord& record) {
  auto row = row_of<Row>(global_tid, record);
  if (record.buffer != 0) row.template set<&Row::buffer>(static_cast<std::int64_t>(record.buffer));
  if (record.bytes >= 0) row.template set<&Row::bytes>(record.bytes);
  if ((record.header.flags & wire::kUcpHasPeer) != 0)
    row.template set<&Row::peer>(static_cast<std::int64_t>(record.peer));
  if ((record.header.flags & wire::kUcpHasTag) != 0)
    row.template set<&Row::tag>(static_cast<std::int64_t>(record.tag));
  return row;
}

void UcxBuilder::transfer(std::int64_t global_tid, const wire::UcpTransferRecord& record) {
  if ((record.header.flags & wire::kUcpIsProgress) != 0) {
    writer_.add(transfer_of<report::UcpProgressRow>(global_tid, record));
    return;
  }
  ++events_;
  writer_.add(transfer_of<report::UcpSubmitRow>(global_tid, record));
}

void UcxBuilder::call(std::int64_t global_tid, const wire::UcpCallRecord& record) {
  ++events_;
  writer_.add(row_of<report::UcpRow>(global_tid, record));
}

void UcxBuilder::worker(std::int64_t global_tid, const wire::UcpWorkerRecord& record) {
  writer_.add("UCP_WORKERS", {global_tid, static_cast<std::int64_t>(record.uid)});
}

}  // namespace prof::ingest
