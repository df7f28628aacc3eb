#include "collector/ingest/nvtx/counter_builder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "collector/ingest/nvtx/payload_decoder.hpp"
#include "collector/ingest/nvtx/time_domains.hpp"

namespace prof::ingest {

namespace {

namespace payloads = nvtx_payloads;

constexpr std::size_t kMaxFields = 256;
// Reasons why a sample has no value.
constexpr std::uint64_t kIsZero = 0;
constexpr std::uint64_t kIsUnchanged = 1;
// Flags of a batch that has one time and an interval in place of single times.
constexpr std::uint64_t kBeginAndInterval = std::uint64_t{1} << 32;
constexpr std::uint64_t kEndAndInterval = std::uint64_t{2} << 32;

// Flags of nvtxSemanticsCounter_t.
constexpr std::uint64_t kHasMin = 1 << 2;
constexpr std::uint64_t kHasMax = 1 << 3;
constexpr const char* kValueTypes[] = {nullptr, "absolute", "delta", "delta since start"};
constexpr const char* kInterpolations[] = {nullptr, "point", "since last", "until next", "linear"};

bool is_number(const PayloadValue& value) {
  using Kind = PayloadValue::Kind;
  return value.kind == Kind::kSigned || value.kind == Kind::kUnsigned || value.kind == Kind::kReal;
}

std::int64_t time_at(const PayloadBlock& block, std::uint64_t index) {
  std::int64_t time = 0;
  std::memcpy(&time, block.bytes.data() + index * sizeof time, sizeof time);
  return time;
}

// Returns a limit of nvtxSemanticsCounter_t as a number of its type.
nlohmann::ordered_json limit(std::uint64_t type, std::uint64_t bits) {
  if (type == 3) return std::bit_cast<double>(bits);
  if (type == 2) return bits;
  return static_cast<std::int64_t>(bits);
}

}  // namespace

void NvtxCounters::define(std::uint32_t serial, const wire::NvtxCounterRecord& record) {
  counters_.try_emplace({serial, record.header.aux, record.id},
                        Counter{.record = record, .serial = serial, .fields = {}, .last = {}});
}

void NvtxCounters::begin_thread(std::uint32_t serial, std::uint32_t tid) {
  serial_ = serial;
  global_tid_ = processes_.global_tid_of(serial, tid);
}

NvtxCounters::Counter* NvtxCounters::find(std::uint32_t domain, std::uint64_t id) {
  if (const auto own = counters_.find({serial_, domain, id}); own != counters_.end())
    return &own->second;
  // A forked child may sample counters that its parent registered.
  std::uint32_t serial = serial_;
  for (int step = 0; step < 1000; ++step) {
    const ProcessImage* image = processes_.find(serial);
    if (image == nullptr || image->parent_serial == 0) break;
    serial = image->parent_serial;
    const auto found = counters_.find({serial, domain, id});
    if (found == counters_.end()) continue;
    const Counter copy{.record = found->second.record, .serial = serial_, .fields = {}, .last = {}};
    return &counters_.try_emplace({serial_, domain, id}, copy).first->second;
  }
  ++stats_.unknown;
  return nullptr;
}

std::string NvtxCounters::unit_of(const Semantics& semantics) const {
  const auto found = semantics.find(kCounterSemantics);
  if (found == semantics.end() || found->second[1] == 0) return {};
  std::string unit(strings_.text(found->second[1]));
  const auto [numerator, denominator] = std::pair(found->second[2], found->second[3]);
  if (numerator <= 1 && denominator <= 1) return unit;
  return std::to_string(numerator) + (denominator > 1 ? "/" + std::to_string(denominator) : "") +
         " " + unit;
}

std::size_t NvtxCounters::field_of(Counter& counter, const std::string& name,
                                   const PayloadValue& value) {
  const auto known = std::ranges::find(counter.fields, name, &CounterField::name);
  if (known != counter.fields.end())
    return static_cast<std::size_t>(known - counter.fields.begin());
  using Kind = PayloadValue::Kind;
  CounterField field{name, FieldType::kDouble, 8, {}};
  const bool is_float = value.type == payloads::kFloat || value.type == payloads::kFloat32;
  if (value.kind == Kind::kSigned) field.type = FieldType::kSigned;
  if (value.kind == Kind::kUnsigned) field.type = FieldType::kUnsigned;
  if (value.kind == Kind::kReal && is_float) field.type = FieldType::kFloat;
  if (const std::uint64_t size = payloads::size_of(value.type); size != 0)
    field.size = static_cast<std::int64_t>(size);
  const std::uint32_t domain = counter.record.header.aux;
  if (const PayloadSchema* schema = schemas_.schema(serial_, domain, value.schema))
    if (value.entry < schema->semantics.size())
      field.unit = unit_of(schema->semantics[value.entry]);
  if (field.unit.empty())
    if (const Semantics* whole =
            schemas_.counter_semantics(counter.serial, domain, counter.record.id))
      field.unit = unit_of(*whole);
  counter.fields.push_back(std::move(field));
  return counter.fields.size() - 1;
}

// Collects the numbers in a value, each with the names from the outermost on.
void NvtxCounters::collect(Counter& counter, const std::string& prefix, const PayloadValue& value,
                           std::vector<FieldValue>& values) {
  if ((value.flags & payloads::kTimestamp) != 0 || values.size() >= kMaxFields) return;
  std::string name = prefix;
  if (!value.name.empty()) name += (prefix.empty() ? "" : ".") + value.name;
  if (is_number(value)) {
    if (name.empty()) name = strings_.text(counter.record.name);
    values.push_back({field_of(counter, name, value), value.as_real(), value.bits});
    return;
  }
  const bool is_list = value.kind == PayloadValue::Kind::kList;
  for (std::size_t i = 0; i < value.children.size(); ++i)
    collect(counter, is_list ? name + "[" + std::to_string(i) + "]" : name, value.children[i],
            values);
}

void NvtxCounters::put(Counter& counter, std::int64_t time, std::vector<FieldValue> values) {
  if (window_end_ && (time < 0 || time > *window_end_)) return;
  if (counter.type_id == 0)
    counter.type_id = metrics_.next_counter_type(std::int64_t{counter.record.header.aux});
  if (counter.type_id == 0) return;
  ++stats_.samples;
  const std::int64_t event = metrics_.next_event();
  writer_.add(report::GenericEventRow{event, time, counter.type_id, global_tid_});
  for (const FieldValue& value : values) {
    const FieldType type = counter.fields[value.field].type;
    const auto column = static_cast<report::GenericValueColumn>(type);
    writer_.add(report::GenericValueRow{.event = event,
                                        .integer = static_cast<std::int64_t>(value.bits),
                                        .real = value.real,
                                        .field = static_cast<std::int32_t>(value.field),
                                        .nulls = report::nulls_without(column)});
  }
  if (!values.empty()) counter.last = std::move(values);
}

void NvtxCounters::sample(const wire::NvtxSampleRecord& record, const PayloadBlocks& blocks) {
  Counter* counter = find(record.header.aux, record.counter);
  if (counter == nullptr) return;
  const std::int64_t time = clock_.to_ns(record.time);
  std::vector<FieldValue> values;
  PayloadValue value;
  switch (static_cast<wire::NvtxSample>(record.header.flags)) {
    case wire::NvtxSample::kInteger:
      value.kind = payloads::is_signed(counter->record.schema) ? PayloadValue::Kind::kSigned
                                                               : PayloadValue::Kind::kUnsigned;
      value.type = counter->record.schema;
      value.bits = record.value;
      collect(*counter, "", value, values);
      break;
    case wire::NvtxSample::kReal:
      value.kind = PayloadValue::Kind::kReal;
      value.type = payloads::kDouble;
      value.real = std::bit_cast<double>(record.value);
      collect(*counter, "", value, values);
      break;
    case wire::NvtxSample::kNone:
      if (record.value == kIsUnchanged) values = counter->last;
      if (record.value == kIsZero)
        for (std::size_t i = 0; i < std::max<std::size_t>(counter->fields.size(), 1); ++i) {
          if (counter->fields.empty()) {
            value.kind = PayloadValue::Kind::kSigned;
            value.type = counter->record.schema;
            collect(*counter, "", value, values);
            break;
          }
          values.push_back({i, 0, 0});
        }
      break;
    case wire::NvtxSample::kPayload: {
      if (blocks.empty()) return;
      PayloadDecoder decoder(schemas_, strings_, serial_, record.header.aux);
      std::uint64_t end = 0;
      for (const PayloadValue& one : decoder.decode_element(blocks, counter->record.schema, 0, end))
        collect(*counter, "", one, values);
      break;
    }
  }
  put(*counter, time, std::move(values));
}

std::uint64_t NvtxCounters::time_domain_of(const Counter& counter) const {
  const Semantics* semantics = schemas_.counter_semantics(
      counter.record.header.aux == 0 && counter.serial == 0 ? serial_ : counter.serial,
      counter.record.header.aux, counter.record.id);
  if (semantics == nullptr) return kToolProvided;
  const auto time = semantics->find(kTimeSemantics);
  return time == semantics->end() ? kToolProvided : time->second[0];
}

std::optional<std::int64_t> NvtxCounters::embedded_time(
    const Counter& counter, const std::vector<PayloadValue>& values) const {
  for (const PayloadValue& value : values) {
    if ((value.flags & payloads::kTimestamp) == 0) continue;
    std::uint64_t id = time_domain_of(counter);
    const PayloadSchema* schema = schemas_.schema(serial_, counter.record.header.aux, value.schema);
    if (schema != nullptr && value.entry < schema->semantics.size()) {
      const auto own = schema->semantics[value.entry].find(kTimeSemantics);
      if (own != schema->semantics[value.entry].end()) id = own->second[0];
    }
    return times_.to_ns(serial_, counter.record.header.aux, id,
                        static_cast<std::int64_t>(value.bits));
  }
  return std::nullopt;
}

void NvtxCounters::batch(const wire::NvtxSampleBatchRecord& record, const PayloadBlocks& blocks) {
  Counter* counter = find(record.header.aux, record.counter);
  if (counter == nullptr || blocks.empty()) return;
  const std::uint32_t domain = record.header.aux;
  const payloads::TypeInfo type =
      payloads::type_info(counter->record.schema, PayloadTypes{schemas_, serial_, domain});
  if (type.size == 0) return;
  const std::uint64_t count = blocks[0].bytes.size() / type.size;
  const PayloadBlock* times = blocks.size() > 1 ? &blocks[1] : nullptr;
  const std::uint64_t given = times == nullptr ? 0 : times->bytes.size() / sizeof(std::int64_t);
  const bool interval = (record.flags & (kBeginAndInterval | kEndAndInterval)) != 0 && given >= 2;
  const std::uint64_t time_domain = time_domain_of(*counter);
  PayloadDecoder decoder(schemas_, strings_, serial_, domain);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t end = 0;
    const PayloadBlocks& samples = blocks;
    const auto values = decoder.decode_element(samples, counter->record.schema, i * type.size, end);
    std::optional<std::int64_t> time;
    if (interval) {
      const std::uint64_t steps = (record.flags & kBeginAndInterval) != 0 ? i : count - 1 - i;
      const auto distance =
          static_cast<std::int64_t>(steps * static_cast<std::uint64_t>(time_at(*times, 1)));
      const auto from = static_cast<std::uint64_t>(time_at(*times, 0));
      const std::uint64_t at = (record.flags & kBeginAndInterval) != 0
                                   ? from + static_cast<std::uint64_t>(distance)
                                   : from - static_cast<std::uint64_t>(distance);
      time = times_.to_ns(serial_, domain, time_domain, static_cast<std::int64_t>(at));
    } else if (i < given) {
      time = times_.to_ns(serial_, domain, time_domain, time_at(*times, i));
    } else {
      time = embedded_time(*counter, values);
    }
    if (!time) {
      ++stats_.without_time;
      continue;
    }
    std::vector<FieldValue> fields;
    for (const PayloadValue& one : values) collect(*counter, "", one, fields);
    put(*counter, *time, std::move(fields));
  }
}

std::string NvtxCounters::description_of(const Counter& counter) const {
  nlohmann::ordered_json json;
  const std::uint32_t domain = counter.record.header.aux;
  json["counter"] = strings_.text(counter.record.name);
  if (counter.record.description != 0)
    json["description"] = strings_.text(counter.record.description);
  json["domainId"] = domain;
  json["globalPid"] = processes_.global_pid_of(counter.serial);
  const std::string scope = schemas_.scope_path(counter.serial, domain, counter.record.scope);
  if (!scope.empty())
    json["scope"] = scope;
  else if (counter.record.scope != 0)
    json["scopeId"] = counter.record.scope;
  const Semantics* all = schemas_.counter_semantics(counter.serial, domain, counter.record.id);
  if (all != nullptr) {
    const auto found = all->find(kCounterSemantics);
    if (found != all->end()) {
      const auto& [flags, unit, numerator, denominator, type, min, max] = found->second;
      if (const std::string text = unit_of(*all); !text.empty()) json["unit"] = text;
      if ((flags >> 4 & 3) != 0) json["values"] = kValueTypes[flags >> 4 & 3];
      if (const std::uint64_t kind = flags >> 8 & 7; kind != 0 && kind < 5)
        json["interpolation"] = kInterpolations[kind];
      if ((flags & kHasMin) != 0) json["min"] = limit(type, min);
      if ((flags & kHasMax) != 0) json["max"] = limit(type, max);
    }
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void NvtxCounters::finish() {
  for (const auto& [key, counter] : counters_) {
    if (counter.type_id == 0) continue;
    const std::string description = description_of(counter);
    writer_.add("GENERIC_EVENT_TYPES",
                {counter.type_id, metrics_.counter_source(),
                 std::int64_t{writer_.string_id(strings_.text(counter.record.name))}, nullptr,
                 nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                 nullptr, std::string_view(description)});
    std::int64_t index = 0;
    std::int64_t offset = 0;
    for (const CounterField& field : counter.fields) {
      offset = static_cast<std::int64_t>(payloads::align_up(
          static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(field.size)));
      writer_.add("GENERIC_EVENT_TYPE_FIELDS",
                  {counter.type_id, index++, std::int64_t{writer_.string_id(field.name)}, offset,
                   field.size, static_cast<std::int64_t>(field.type), nullptr, nullptr, nullptr,
                   nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                   std::string_view(field.unit)});
      offset += field.size;
    }
  }
}

}  // namespace prof::ingest
