#include "collector/sampler/kernel_record_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "collector/sampler/record_fields.hpp"

namespace prof::sampler {

using spool::KernelRecord;
using spool::KernelRecordType;

void KernelRecordBuffer::append(const KernelRecord& record) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&record);
  bytes_.insert(bytes_.end(), bytes, bytes + sizeof record);
}

void KernelRecordBuffer::append(const KernelRecord& record, std::string_view name) {
  append(record);
  spool::KernelThreadName padded{};
  std::memcpy(padded.text, name.data(), std::min(name.size(), sizeof padded.text - 1));
  const auto* bytes = reinterpret_cast<const std::byte*>(&padded);
  bytes_.insert(bytes_.end(), bytes, bytes + sizeof padded);
}

void KernelRecordBuffer::append(const KernelRecord& record, std::span<const std::byte> fields) {
  append(record);
  bytes_.insert(bytes_.end(), fields.begin(), fields.end());
  bytes_.resize(bytes_.size() + spool::padded_length(fields.size()) - fields.size());
}

void KernelRecordBuffer::add_task(const PerfRecord& record) {
  switch (record.type) {
    case PERF_RECORD_FORK:
      return add_task(KernelRecordType::kFork, record.body);
    case PERF_RECORD_EXIT:
      return add_task(KernelRecordType::kThreadEnd, record.body);
    case PERF_RECORD_COMM:
      return add_name(record);
    case PERF_RECORD_LOST:
      return add_loss(record.body);
    default:
      return;
  }
}

void KernelRecordBuffer::add_task(KernelRecordType type, std::span<const std::byte> body) {
  TaskFields task;
  if (!take(body, task)) return;
  const std::uint32_t maker = type == KernelRecordType::kFork ? task.ptid : 0;
  append({task.time, task.pid, task.tid, maker, type, 0, 0});
}

// The record is {pid, tid, name padded to 8 bytes, RecordIds}.
void KernelRecordBuffer::add_name(const PerfRecord& perf) {
  std::span<const std::byte> body = perf.body;
  RecordIds ids;
  KernelRecord record{};
  if (!take_ids(body, ids) || !take(body, record.pid) || !take(body, record.tid)) return;
  record.time = ids.time;
  record.type = KernelRecordType::kName;
  if ((perf.misc & PERF_RECORD_MISC_COMM_EXEC) != 0) record.flags = spool::kNameFromExec;
  const auto* text = reinterpret_cast<const char*>(body.data());
  append(record, {text, strnlen(text, body.size())});
}

// The record is {id, number, RecordIds}.
void KernelRecordBuffer::add_loss(std::span<const std::byte> body) {
  RecordIds ids;
  std::uint64_t event = 0;
  std::uint64_t number = 0;
  if (!take_ids(body, ids) || !take(body, event) || !take(body, number)) return;
  constexpr std::uint64_t kMaximum = std::numeric_limits<std::uint32_t>::max();
  const auto lost = static_cast<std::uint32_t>(std::min(number, kMaximum));
  append({ids.time, ids.pid, ids.tid, lost, KernelRecordType::kLost, 0, 0});
}

}  // namespace prof::sampler
