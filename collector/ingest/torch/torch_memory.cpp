#include "collector/ingest/torch/torch_memory.hpp"

namespace prof::ingest {

namespace {

// c10::DeviceType and the number of a device are signed bytes.
std::int32_t device_byte(std::uint32_t place, unsigned shift) {
  const auto byte = static_cast<std::int32_t>(place >> shift & 0xff);
  return byte < 0x80 ? byte : byte - 0x100;
}

}  // namespace

void TorchMemory::add(std::int64_t global_tid, const wire::TorchMemoryRecord& record) {
  using Row = report::TorchMemoryRow;
  const auto kind = static_cast<wire::TorchMemoryKind>(record.header.flags);
  ++events_;
  Row row;
  row.start = clock_.to_ns(record.time);
  row.global_tid = global_tid;
  row.operation = record.header.flags;
  if (kind == wire::TorchMemoryKind::kFailure)
    ++failures_;
  else
    row.set<&Row::address>(static_cast<std::int64_t>(record.address));
  row.bytes = static_cast<std::int64_t>(record.bytes);
  row.allocated = static_cast<std::int64_t>(record.allocated);
  row.reserved = static_cast<std::int64_t>(record.reserved);
  row.device_type = device_byte(record.header.aux, 0);
  if (const std::int32_t device = device_byte(record.header.aux, 8); device >= 0)
    row.set<&Row::device>(device);
  last_time_ = std::max(last_time_, row.start);
  writer_.add(row);
}

}  // namespace prof::ingest
