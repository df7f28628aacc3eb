#include "collector/ingest/cpu/tracepoint_builder.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "collector/ingest/metrics/generic_sources.hpp"
#include "collector/ingest/process_table.hpp"

namespace prof::ingest {

namespace {

constexpr std::int64_t kSignedField = 0;  // ENUM_NSYS_GENERIC_EVENT_FIELD_TYPE
constexpr std::int64_t kUnsignedField = 1;

std::int64_t type_id(std::size_t number) {
  return kFtraceSource | static_cast<std::int64_t>(number);
}

// Returns the texts of an event as a JSON object; empty: it has none.
std::string texts_of(const std::vector<TracepointField>& fields,
                     std::span<const std::byte> record) {
  nlohmann::json texts = nlohmann::json::object();
  for (const TracepointField& field : fields)
    if (field.is_text()) texts[field.name] = std::string(field.text(record));
  if (texts.empty()) return {};
  // Names of threads and files are any bytes, but JSON is UTF-8.
  return texts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void TracepointBuilder::add(const spool::Notes& notes, std::span<const spool::KernelPiece> pieces,
                            std::uint64_t dropped) {
  const auto note = notes.first<spool::TracepointsNote>();
  if (!note) return;
  for (const auto& each : note->tracepoints)
    types_.push_back(
        {each.name, std::string(print_format(each.format)), tracepoint_fields(each.format)});
  stats_.corrupt_bytes +=
      for_each_kernel_event(pieces, spool::KernelSource::kTracepoints, writer_.memory(),
                            [this](const KernelEvent& event) { handle(event); });
  // The kernel's own count includes drops after the last record.
  stats_.dropped = std::max(stats_.dropped, dropped);
}

void TracepointBuilder::handle(const KernelEvent& event) {
  const spool::KernelRecord& record = event.record;
  if (record.type == spool::KernelRecordType::kLost) {
    stats_.dropped += record.value;
    return;
  }
  if (record.type != spool::KernelRecordType::kTracepoint) {
    if (spool::has_known_thread(record)) tasks_.follow(event);
    return;
  }
  const std::int64_t time = clock_.from_monotonic(record.time);
  // The whole system is recorded before the program starts, so there are events before time 0.
  if (time < 0 || time > window_end_.value_or(time)) return;
  if (record.value < types_.size())
    add_event(event, time);
  else
    stats_.corrupt_bytes += event.fields.size();
}

void TracepointBuilder::add_event(const KernelEvent& event, std::int64_t time) {
  const spool::KernelRecord& record = event.record;
  describe(record.value);
  ++stats_.events;
  last_time_ = std::max(last_time_, time);
  // The idle task of a CPU has the number 0, as tasks outside of the pid namespace.
  const std::int64_t thread = spool::has_known_thread(record)
                                  ? tasks_.mention(record.pid, record.tid, record.time)
                                  : global_tid(0, 0);
  const Type& type = types_[record.value];
  const std::int64_t id = metrics_.next_event();
  const std::string texts = texts_of(type.fields, event.fields);
  if (texts.empty())
    writer_.add(report::GenericEventRow{id, time, type_id(record.value), thread});
  else
    writer_.add("GENERIC_EVENTS",
                {id, time, time, type_id(record.value), thread, std::string_view(texts)});
  add_values(type, id, event.fields);
}

void TracepointBuilder::add_values(const Type& type, std::int64_t event,
                                   std::span<const std::byte> record) {
  using report::GenericValueColumn;
  std::int32_t number = -1;
  for (const TracepointField& field : type.fields) {
    ++number;
    if (field.is_text()) continue;
    const bool is_signed = field.value == TracepointValue::kSigned;
    report::GenericValueRow row{
        .event = event,
        .field = number,
        .nulls = report::nulls_without(is_signed ? GenericValueColumn::kInteger
                                                 : GenericValueColumn::kUnsigned)};
    row.integer = field.integer(record);
    writer_.add(row);
  }
}

// Called for a tracepoint with events: the others have no rows.
void TracepointBuilder::describe(std::size_t number) {
  Type& type = types_[number];
  if (std::exchange(type.is_described, true)) return;
  if (!std::exchange(has_source_, true))
    add_generic_source(writer_, kFtraceSource, "FTrace", GenericGroup::kFtrace);
  writer_.add("GENERIC_EVENT_TYPES",
              {type_id(number), kFtraceSource, std::int64_t{writer_.string_id(type.name)}, nullptr,
               std::string_view(type.printed), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
               nullptr, nullptr, nullptr, nullptr});
  std::int64_t index = 0;
  for (const TracepointField& field : type.fields)
    writer_.add(
        "GENERIC_EVENT_TYPE_FIELDS",
        {type_id(number), index++, std::int64_t{writer_.string_id(field.name)},
         std::int64_t{field.offset}, std::int64_t{field.size},
         field.value == TracepointValue::kSigned ? kSignedField : kUnsignedField, nullptr, nullptr,
         nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
}

}  // namespace prof::ingest
