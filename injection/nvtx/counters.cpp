#include "injection/nvtx/counters.hpp"

#include <cstring>

#include "common/wire/nvtx_records.hpp"
#include "injection/core/clock.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/nvtx/payloads.hpp"
#include "injection/nvtx/schemas.hpp"
#include "injection/nvtx/time_domains.hpp"

namespace prof::nvtx {

namespace {

using wire::NvtxSample;
using wire::RecordType;

// Appends a record. Outside of a capture range samples leave no record.
template <class Record>
void put_counter(const Record& record) {
  if (!core::paused_here()) core::append(record);
}

void put_sample(Domain domain, std::uint64_t counter, NvtxSample kind, std::uint64_t value,
                std::uint64_t time) {
  if (!domain.recorded) return;
  put_counter(wire::NvtxSampleRecord{
      core::header_of<wire::NvtxSampleRecord>(RecordType::kNvtxSample, domain.id,
                                              static_cast<std::uint8_t>(kind)),
      time, counter, value});
}

}  // namespace

std::uint64_t register_counter(Domain domain, const CounterAttributes* attributes) {
  if (attributes == nullptr || attributes->struct_size < sizeof *attributes) return 0;
  const CounterAttributes& a = *attributes;
  const std::uint64_t id = id_or_new(a.id);
  if (!domain.recorded) return id;
  const std::uint64_t name = core::intern(a.name);
  const std::uint64_t description = a.description == nullptr ? 0 : core::intern(a.description);
  core::append(wire::NvtxCounterRecord{
      core::header_of<wire::NvtxCounterRecord>(RecordType::kNvtxCounter, domain.id), id, a.schema,
      name, description, a.scope});
  record_semantics(domain, id, wire::kNvtxWholeCounter, a.semantics);
  return id;
}

void sample(Domain domain, std::uint64_t counter, std::int64_t value) {
  put_sample(domain, counter, NvtxSample::kInteger, static_cast<std::uint64_t>(value), core::now());
}

void sample(Domain domain, std::uint64_t counter, double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  put_sample(domain, counter, NvtxSample::kReal, bits, core::now());
}

void sample(Domain domain, std::uint64_t counter, const void* values, std::size_t size) {
  const std::uint64_t time = core::now();
  if (!domain.recorded) return;
  const Block block{0, values, size};
  const std::uint64_t token = copy_blocks(domain, &block, 1);
  if (token != 0) put_sample(domain, counter, NvtxSample::kPayload, token, time);
}

void sample_without_value(Domain domain, std::uint64_t counter, std::uint8_t reason) {
  put_sample(domain, counter, NvtxSample::kNone, reason, core::now());
}

void submit(Domain domain, const CounterBatch* batch) {
  const std::uint64_t time = core::now();
  if (batch == nullptr || !domain.recorded) return;
  read_timers(domain);
  const Block blocks[] = {{0, batch->samples, batch->size},
                          {0, batch->timestamps, batch->timestamp_bytes}};
  const std::uint64_t token = copy_blocks(domain, blocks, 2);
  if (token == 0) return;
  put_counter(wire::NvtxSampleBatchRecord{
      core::header_of<wire::NvtxSampleBatchRecord>(RecordType::kNvtxSampleBatch, domain.id), time,
      batch->counter, batch->flags, token});
}

void submit(Domain domain, const PayloadData* payloads, std::size_t count) {
  const std::uint64_t time = core::now();
  if (!domain.recorded) return;
  read_timers(domain);
  const std::uint64_t token = copy_payloads(domain, payloads, count);
  if (token == 0) return;
  put_counter(wire::NvtxDeferredRecord{
      core::header_of<wire::NvtxDeferredRecord>(RecordType::kNvtxDeferred, domain.id), time, token,
      0, 0, 0});
}

void submit(Domain domain, const EventBatch* batch) {
  const std::uint64_t time = core::now();
  if (batch == nullptr || !domain.recorded) return;
  read_timers(domain);
  // The offset comes from the program, so no pointer arithmetic is done with it.
  const auto flexible = reinterpret_cast<std::uintptr_t>(batch->flexible_data);
  const auto* data =
      flexible == 0 ? nullptr : reinterpret_cast<const void*>(flexible + batch->flexible_offset);
  const Block blocks[] = {{batch->schema, batch->events, batch->size},
                          {0, data, batch->flexible_size}};
  const std::uint64_t token = copy_blocks(domain, blocks, 2);
  if (token == 0) return;
  put_counter(wire::NvtxDeferredRecord{core::header_of<wire::NvtxDeferredRecord>(
                                           RecordType::kNvtxDeferred, domain.id, wire::kNvtxBatch),
                                       time, token, batch->schema, batch->scope, batch->flags});
}

}  // namespace prof::nvtx
