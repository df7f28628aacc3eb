#include "collector/ingest/metrics/metric_builder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "collector/ingest/metrics/generic_sources.hpp"
#include "collector/ingest/process_table.hpp"

namespace prof::ingest {

using report::GenericValueColumn;
using spool::CounterType;

namespace {

// The first id of the schemas that nsys numbers itself.
constexpr std::int64_t kFirstSchema = std::int64_t{1} << 32;
constexpr std::int64_t kDomain = 1;  // the domain of all groups
constexpr std::int64_t kStaticSchema = 1;
constexpr std::int64_t kMaxGroups = 0x10000;  // numbers of groups have 16 bits

// How the report stores values of a type.
struct Storage {
  std::int64_t bytes;
  std::int64_t field_type;  // ENUM_NSYS_GENERIC_EVENT_FIELD_TYPE
  GenericValueColumn column;
};
Storage storage_of(CounterType type) {
  switch (type) {
    case CounterType::kInt32:
      return {4, 0, GenericValueColumn::kInteger};
    case CounterType::kUint32:
      return {4, 1, GenericValueColumn::kUnsigned};
    case CounterType::kUint64:
      return {8, 1, GenericValueColumn::kUnsigned};
    case CounterType::kFloat:
      return {4, 2, GenericValueColumn::kFloat};
    case CounterType::kDouble:
      return {8, 3, GenericValueColumn::kDouble};
    case CounterType::kInt64:
      break;
  }
  return {8, 0, GenericValueColumn::kInteger};
}

std::int64_t aligned(std::int64_t offset, std::int64_t bytes) {
  return (offset + bytes - 1) / bytes * bytes;
}

bool is_real(GenericValueColumn column) {
  return column == GenericValueColumn::kFloat || column == GenericValueColumn::kDouble;
}

}  // namespace

void MetricBuilder::add(const spool::Spool& spool) {
  if (spool.metric_pieces.empty()) return;
  find_groups(spool.notes);
  for (const spool::MetricPiece& piece : spool.metric_pieces) {
    const auto found = groups_.find(piece.header.source);
    const bool fits =
        found != groups_.end() && piece.header.values == found->second.note.counters.size();
    if (fits)
      add(piece, found->second);
    else
      stats_.corrupt_bytes += piece.bytes.size();
  }
}

void MetricBuilder::find_groups(const spool::Notes& notes) {
  notes.for_each<spool::MetricSourceNote>([&](spool::MetricSourceNote&& note) {
    const bool has_room = note.gpu || counter_groups_ < kMaxGroups;
    if (!has_room || note.counters.empty() || note.counters.size() > spool::kMaxCounters) return;
    Group group;
    group.is_gpu = note.gpu.has_value();
    group.type_id = group.is_gpu ? kGpuSource | (*note.gpu & 0xff) : next_counter_type(kDomain);
    group.global_tid = global_tid(note.pid, static_cast<std::uint32_t>(note.tid));
    const std::uint32_t id = note.id;
    group.note = std::move(note);
    groups_.try_emplace(id, std::move(group));
  });
}

std::int64_t MetricBuilder::next_counter_type(std::int64_t domain) {
  if (counter_groups_ >= kMaxGroups) return 0;
  return kCounterSource | counter_groups_++ << 16 | (domain & 0xffff);
}

void MetricBuilder::describe_source(bool is_gpu) {
  if (std::exchange(has_source_[is_gpu ? 0 : 1], true)) return;
  if (is_gpu)
    add_generic_source(writer_, kGpuSource, "GpuMetrics");
  else
    add_generic_source(writer_, kCounterSource, "GenericCounters");
}

std::int64_t MetricBuilder::counter_source() {
  describe_source(false);
  return kCounterSource;
}

// Called for a group with samples: a group without samples has no rows.
void MetricBuilder::describe(Group& group) {
  if (std::exchange(group.described, true)) return;
  const std::int64_t source = group.is_gpu ? kGpuSource : kCounterSource;
  describe_source(group.is_gpu);
  const std::string_view name = group.is_gpu ? std::string_view("") : group.note.name;
  writer_.add("GENERIC_EVENT_TYPES", {group.type_id, source, std::int64_t{writer_.string_id(name)},
                                      nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                      nullptr, nullptr, nullptr, nullptr, nullptr});
  std::int64_t field = 0;
  std::int64_t offset = 0;
  for (const spool::Counter& counter : group.note.counters) {
    const Storage storage = storage_of(counter.type);
    offset = aligned(offset, storage.bytes);
    writer_.add(
        "GENERIC_EVENT_TYPE_FIELDS",
        {group.type_id, field, std::int64_t{writer_.string_id(counter.name)}, offset, storage.bytes,
         storage.field_type, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
         nullptr, nullptr, nullptr, std::string_view(counter.unit)});
    if (group.is_gpu)
      writer_.add("TARGET_INFO_GPU_METRICS", {group.type_id, source, std::string_view(""), field,
                                              std::string_view(counter.name)});
    ++field;
    offset += storage.bytes;
  }
  if (!group.is_gpu) describe_payload(group);
}

void MetricBuilder::describe_payload(const Group& group) const {
  const std::int64_t schema = kFirstSchema + (group.type_id >> 16 & 0xffff);
  std::int64_t alignment = 4;
  std::int64_t index = 0;
  std::int64_t offset = 0;
  for (const spool::Counter& counter : group.note.counters) {
    const std::int64_t size = storage_of(counter.type).bytes;
    offset = aligned(offset, size);
    writer_.add("NVTX_PAYLOAD_SCHEMA_ENTRIES",
                {kDomain, schema, index++, nullptr, static_cast<std::int64_t>(counter.type),
                 std::string_view(counter.name), std::string_view(counter.unit), nullptr, offset});
    alignment = std::max(alignment, size);
    offset += size;
  }
  writer_.add("NVTX_PAYLOAD_SCHEMAS",
              {kDomain, schema, std::string_view(group.note.name), kStaticSchema, nullptr, index,
               aligned(offset, alignment), alignment});
}

void MetricBuilder::add(const spool::MetricPiece& piece, Group& group) {
  const std::size_t stride =
      sizeof(spool::MetricSample) + piece.header.values * sizeof(spool::MetricValue);
  auto rest = piece.bytes;
  for (; rest.size() >= stride; rest = rest.subspan(stride)) {
    spool::MetricSample sample{};
    std::memcpy(&sample, rest.data(), sizeof sample);
    const std::int64_t time = clock_.from_monotonic(sample.time);
    // GPUs are sampled before the program starts, so they have samples before time 0.
    if (time < 0 && (group.is_gpu || window_end_)) continue;
    if (window_end_ && time > *window_end_) continue;
    describe(group);
    last_time_ = std::max(last_time_, time);
    ++stats_.samples;
    add_sample(group, time, sample.missing, rest.data() + sizeof sample);
  }
  stats_.corrupt_bytes += rest.size();
}

void MetricBuilder::add_sample(const Group& group, std::int64_t time, std::uint64_t missing,
                               const std::byte* values) {
  if (!group.is_gpu)
    writer_.add(report::GenericEventRow{++last_event_, time, group.type_id, group.global_tid});
  for (std::size_t field = 0; field < group.note.counters.size(); ++field) {
    if ((missing >> field & 1) != 0) continue;
    std::uint64_t bits = 0;
    std::memcpy(&bits, values + field * sizeof bits, sizeof bits);
    if (group.is_gpu)
      writer_.add(report::GpuMetricRow{.start = time,
                                       .type_id = group.type_id,
                                       .value = static_cast<std::int64_t>(bits),
                                       .metric_id = static_cast<std::int32_t>(field)});
    else
      add_value(group, field, bits);
  }
}

void MetricBuilder::add_value(const Group& group, std::size_t field, std::uint64_t bits) {
  const GenericValueColumn column = storage_of(group.note.counters[field].type).column;
  report::GenericValueRow row{.event = last_event_,
                              .field = static_cast<std::int32_t>(field),
                              .nulls = report::nulls_without(column)};
  if (is_real(column))
    row.real = std::bit_cast<double>(bits);
  else
    row.integer = static_cast<std::int64_t>(bits);
  writer_.add(row);
}

}  // namespace prof::ingest
