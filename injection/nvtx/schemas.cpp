#include "injection/nvtx/schemas.hpp"

#include <atomic>
#include <cstring>

#include "common/wire/nvtx_payloads/payload_walk.hpp"
#include "common/wire/nvtx_records.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/nvtx/time_domains.hpp"

namespace prof::nvtx {

namespace {

namespace payloads = nvtx_payloads;

// The table is filled from the front without a lock, because another thread could hold a lock at
// fork.
constexpr std::uint32_t kSchemaSlots = 4096;
constexpr std::uint32_t kPoolEntries = 16 * 1024;
constexpr std::size_t kMaxEntries = 1024;  // of one schema; their record fits into a chunk
constexpr std::size_t kMaxValues = 2048;   // of one enum

struct Slot {
  std::atomic<std::uint64_t> key;  // 0: free
  std::atomic<bool> ready;
  bool is_enum;
  KnownSchema schema;  // for an enum: only the size
};
constinit core::LazyArray<Slot, kSchemaSlots> g_slots;
constinit core::LazyArray<payloads::Entry, kPoolEntries> g_entries;
std::atomic<std::uint32_t> g_used_entries;
std::atomic<std::uint64_t> g_next_id{kFirstDynamicId};

std::uint64_t key_of(std::uint32_t domain, std::uint64_t id) {
  const std::uint64_t key = (id ^ std::uint64_t{domain} << 44) * 0x9e3779b97f4a7c15;
  return key == 0 ? 1 : key;
}

const Slot* find(std::uint32_t domain, std::uint64_t id) {
  const Slot* slots = g_slots.get_if_used();
  if (slots == nullptr) return nullptr;
  const std::uint64_t key = key_of(domain, id);
  for (std::uint32_t i = 0; i < kSchemaSlots; ++i) {
    const Slot& slot = slots[(key + i) % kSchemaSlots];
    const std::uint64_t found = slot.key.load(std::memory_order_relaxed);
    if (found == 0) return nullptr;
    // Acquire pairs with the release in publish().
    if (found == key) return slot.ready.load(std::memory_order_acquire) ? &slot : nullptr;
  }
  return nullptr;
}

// Returns null if the id is taken, the table is full, or memory is missing.
Slot* claim(std::uint32_t domain, std::uint64_t id) {
  const std::uint64_t key = key_of(domain, id);
  Slot* slots = g_slots.get();
  for (std::uint32_t i = 0; slots != nullptr && i < kSchemaSlots; ++i) {
    Slot& slot = slots[(key + i) % kSchemaSlots];
    std::uint64_t found = 0;
    if (slot.key.compare_exchange_strong(found, key, std::memory_order_relaxed)) return &slot;
    if (found == key) return nullptr;
  }
  core::report(wire::DiagnosticCode::kNvtxSchemaLimit, kSchemaSlots);
  return nullptr;
}

void publish(Slot& slot) { slot.ready.store(true, std::memory_order_release); }

std::uint64_t hash_of(const char* text) { return text == nullptr ? 0 : core::intern(text); }

bool has(std::uint64_t fields, std::uint64_t field) { return (fields & field) != 0; }

// Stores the parts that are needed to walk over payloads of this schema.
void keep(Domain domain, std::uint64_t id, const wire::NvtxSchemaRecord& record,
          const SchemaEntry* entries) {
  Slot* slot = claim(domain.id, id);
  if (slot == nullptr) return;
  const std::uint32_t count = record.header.aux;
  const std::uint32_t first = g_used_entries.fetch_add(count, std::memory_order_relaxed);
  payloads::Entry* pool = g_entries.get();
  if (pool == nullptr || first > kPoolEntries || count > kPoolEntries - first) {
    core::report(wire::DiagnosticCode::kNvtxSchemaLimit, kPoolEntries);
    return;
  }
  const DomainTypes types{domain.id};
  KnownSchema& known = slot->schema;
  for (std::uint32_t i = 0; i < count; ++i) {
    payloads::Entry& entry = pool[first + i];
    entry = {entries[i].flags, entries[i].type, entries[i].detail, entries[i].offset};
    const KnownSchema* nested = types.schema(entry.type);
    if (payloads::is_pointer(entry) &&
        (has(entry.flags, payloads::kDeepCopy) || payloads::text_unit(entry.type) != 0))
      known.refers_to_memory = true;
    if (payloads::is_offset(entry)) known.has_offsets = true;
    if (nested != nullptr) {
      known.refers_to_memory |= nested->refers_to_memory;
      known.has_offsets |= nested->has_offsets;
    }
  }
  known.layout = {record.type, record.flags, record.alignment, pool + first, count, 0, 1};
  payloads::measure(known.layout, record.static_size, types);
  publish(*slot);
}

void send(const wire::NvtxSchemaRecord& record, const SchemaEntry* entries) {
  // Texts come first: a record refers only to texts that were sent before.
  for (std::uint32_t i = 0; i < record.header.aux; ++i) {
    hash_of(entries[i].name);
    hash_of(entries[i].description);
  }
  std::byte* place = core::begin_record(record.header.size);
  if (place == nullptr) return;
  std::memcpy(place, &record, sizeof record);
  for (std::uint32_t i = 0; i < record.header.aux; ++i) {
    const SchemaEntry& from = entries[i];
    const auto text = [](const char* name) {
      return name == nullptr ? 0 : wire::hash_text(name, std::strlen(name));
    };
    const wire::NvtxSchemaEntry entry{
        from.flags, from.type, text(from.name), text(from.description), from.detail, from.offset};
    std::memcpy(place + sizeof record + i * sizeof entry, &entry, sizeof entry);
  }
  core::end_record(record.header.size);
}

bool send(const wire::NvtxEnumRecord& record, const EnumEntry* values) {
  for (std::uint32_t i = 0; i < record.header.aux; ++i) hash_of(values[i].name);
  std::byte* place = core::begin_record(record.header.size);
  if (place == nullptr) return false;
  std::memcpy(place, &record, sizeof record);
  for (std::uint32_t i = 0; i < record.header.aux; ++i) {
    const char* name = values[i].name;
    const wire::NvtxEnumValue value{name == nullptr ? 0 : wire::hash_text(name, std::strlen(name)),
                                    values[i].value,
                                    static_cast<std::uint64_t>(values[i].is_flag != 0)};
    std::memcpy(place + sizeof record + i * sizeof value, &value, sizeof value);
  }
  core::end_record(record.header.size);
  return true;
}

template <class Record>
wire::RecordHeader header_with(wire::RecordType type, std::size_t count, std::size_t item) {
  return {static_cast<std::uint16_t>(sizeof(Record) + count * item), type, 0,
          static_cast<std::uint32_t>(count)};
}

}  // namespace

std::uint64_t id_or_new(std::uint64_t id) {
  if (id >= kFirstStaticId && id < kFirstDynamicId) return id;
  return g_next_id.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t register_schema(Domain domain, const SchemaAttributes* attributes) {
  constexpr std::uint64_t kNeeded = kSchemaType | kSchemaEntries | kSchemaEntryCount;
  if (attributes == nullptr || (attributes->fields & kNeeded) != kNeeded) return 0;
  const SchemaAttributes& a = *attributes;
  if (a.entries == nullptr || a.entry_count == 0 || a.entry_count > kMaxEntries) return 0;
  if (a.type < payloads::kStaticSchema || a.type > payloads::kUnionWithSelector) return 0;
  const std::uint64_t id = id_or_new(has(a.fields, kSchemaId) ? a.id : 0);
  if (!domain.recorded || find(domain.id, id) != nullptr) return id;
  wire::NvtxSchemaRecord record{};
  record.header = header_with<wire::NvtxSchemaRecord>(wire::RecordType::kNvtxSchema, a.entry_count,
                                                      sizeof(wire::NvtxSchemaEntry));
  record.id = id;
  record.name = has(a.fields, kSchemaName) ? hash_of(a.name) : 0;
  record.type = a.type;
  record.flags = has(a.fields, kSchemaFlags) ? a.flags : 0;
  record.static_size = has(a.fields, kSchemaSize) ? a.static_size : 0;
  record.alignment = has(a.fields, kSchemaAlignment) ? a.alignment : 0;
  record.domain = domain.id;
  send(record, a.entries);
  keep(domain, id, record, a.entries);
  for (std::size_t i = 0; i < a.entry_count; ++i)
    record_semantics(domain, id, static_cast<std::uint32_t>(i), a.entries[i].semantics);
  return id;
}

std::uint64_t register_enum(Domain domain, const EnumAttributes* attributes) {
  constexpr std::uint64_t kNeeded = kEnumEntries | kEnumEntryCount | kEnumSize;
  if (attributes == nullptr || (attributes->fields & kNeeded) != kNeeded) return 0;
  const EnumAttributes& a = *attributes;
  if (a.entries == nullptr || a.entry_count > kMaxValues || a.size == 0 || a.size > 8) return 0;
  const std::uint64_t id = id_or_new(has(a.fields, kEnumId) ? a.id : 0);
  if (!domain.recorded || find(domain.id, id) != nullptr) return id;
  wire::NvtxEnumRecord record{};
  record.header = header_with<wire::NvtxEnumRecord>(wire::RecordType::kNvtxEnum, a.entry_count,
                                                    sizeof(wire::NvtxEnumValue));
  record.id = id;
  record.name = has(a.fields, kEnumName) ? hash_of(a.name) : 0;
  record.size = a.size;
  record.domain = domain.id;
  if (!send(record, a.entries)) return id;
  if (Slot* slot = claim(domain.id, id)) {
    slot->is_enum = true;
    slot->schema.layout.size = a.size;
    publish(*slot);
  }
  return id;
}

void record_semantics(Domain domain, std::uint64_t owner, std::uint32_t entry,
                      const SemanticsHeader* first) {
  constexpr int kMaximum = 8;  // a circular list ends, too
  for (int i = 0; i < kMaximum && first != nullptr; ++i, first = first->next) {
    wire::NvtxSemanticsRecord record{};
    record.header = core::header_of<wire::NvtxSemanticsRecord>(
        wire::RecordType::kNvtxSemantics, domain.id, static_cast<std::uint8_t>(first->id));
    record.owner = owner;
    record.entry = entry;
    if ((first->id == kScopeSemantics || first->id == kTimeSemantics) &&
        first->struct_size >= sizeof(IdSemantics)) {
      record.values[0] = reinterpret_cast<const IdSemantics*>(first)->id;
      if (first->id == kTimeSemantics) note_time_domain(domain, record.values[0]);
    } else if (first->id == kCounterSemantics && first->struct_size >= sizeof(CounterSemantics)) {
      const auto& counter = *reinterpret_cast<const CounterSemantics*>(first);
      const std::uint64_t values[] = {counter.flags,
                                      hash_of(counter.unit),
                                      counter.scale_numerator,
                                      counter.scale_denominator,
                                      static_cast<std::uint64_t>(counter.limit_type),
                                      counter.min,
                                      counter.max};
      std::memcpy(record.values, values, sizeof values);
    } else if (first->id == kCorrelationSemantics &&
               first->struct_size >= sizeof(CorrelationSemantics)) {
      const auto& correlation = *reinterpret_cast<const CorrelationSemantics*>(first);
      std::memcpy(record.values, correlation.uuid, sizeof correlation.uuid);
      record.values[2] = hash_of(correlation.name);
      record.values[3] = correlation.role;
    } else {
      continue;
    }
    core::append(record);
  }
}

const KnownSchema* DomainTypes::schema(std::uint64_t id) const {
  if (!payloads::is_registered(id)) return nullptr;
  const Slot* slot = nvtx::find(domain, id);
  return slot == nullptr || slot->is_enum ? nullptr : &slot->schema;
}

payloads::TypeInfo DomainTypes::find(std::uint64_t id) const {
  const Slot* slot = nvtx::find(domain, id);
  if (slot == nullptr) return {0, 0, nullptr};
  const payloads::Schema& layout = slot->schema.layout;
  if (slot->is_enum) return {layout.size, layout.size, nullptr};
  return {layout.size, layout.own_align, &layout};
}

}  // namespace prof::nvtx
