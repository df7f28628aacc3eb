#include "collector/ingest/nvtx/payload_schemas.hpp"

#include <algorithm>
#include <cstring>

namespace prof::ingest {

namespace payloads = nvtx_payloads;
using report::Value;

namespace {

constexpr int kMaxParents = 1000;

template <class Item>
std::vector<Item> items_of(std::span<const std::byte> bytes) {
  std::vector<Item> items(bytes.size() / sizeof(Item));
  if (!items.empty()) std::memcpy(items.data(), bytes.data(), items.size() * sizeof(Item));
  return items;
}

// As in nsys's reports, 0 becomes NULL.
Value number(std::uint64_t value) {
  if (value == 0) return nullptr;
  return static_cast<std::int64_t>(value);
}

}  // namespace

void PayloadSchemas::define(std::uint32_t serial, const wire::NvtxSchemaRecord& record,
                            std::span<const std::byte> entries) {
  PayloadSchema schema{
      .record = record, .entries = items_of<wire::NvtxSchemaEntry>(entries), .layout_entries = {}};
  for (const wire::NvtxSchemaEntry& entry : schema.entries)
    schema.layout_entries.push_back({entry.flags, entry.type, entry.detail, entry.offset});
  schemas_.try_emplace({serial, record.domain, record.id}, std::move(schema));
}

void PayloadSchemas::define(std::uint32_t serial, const wire::NvtxEnumRecord& record,
                            std::span<const std::byte> values) {
  enums_.try_emplace({serial, record.domain, record.id},
                     PayloadEnum{record, items_of<wire::NvtxEnumValue>(values)});
}

void PayloadSchemas::define(std::uint32_t serial, const wire::NvtxSemanticsRecord& record) {
  auto& values =
      semantics_[{serial, record.header.aux, record.owner, record.entry}][record.header.flags];
  std::ranges::copy(record.values, values.begin());
}

void PayloadSchemas::define(std::uint32_t serial, const wire::NvtxScopeRecord& record) {
  scopes_.try_emplace({serial, record.header.aux, record.id},
                      NvtxScope{record.parent, record.path});
}

template <class Value>
const Value* PayloadSchemas::find(const Table<Value>& table, const Key& key) const {
  Key wanted = key;
  // The number of steps is limited, because a damaged spool can contain cycles of parents.
  for (int step = 0; step < kMaxParents; ++step) {
    if (const auto found = table.find(wanted); found != table.end()) return &found->second;
    const ProcessImage* image = processes_.find(std::get<0>(wanted));
    if (image == nullptr || image->parent_serial == 0) break;
    std::get<0>(wanted) = image->parent_serial;
  }
  return nullptr;
}

const PayloadSchema* PayloadSchemas::schema(std::uint32_t serial, std::uint32_t domain,
                                            std::uint64_t id) const {
  const PayloadSchema* schema = find(schemas_, {serial, domain, id});
  if (schema == nullptr || schema->measured) return schema;
  schema->measured = true;  // set before measuring: a schema that contains itself has no size
  const wire::NvtxSchemaRecord& record = schema->record;
  schema->layout = {record.type,
                    record.flags,
                    record.alignment,
                    schema->layout_entries.data(),
                    static_cast<std::uint32_t>(schema->layout_entries.size()),
                    0,
                    1};
  payloads::measure(schema->layout, record.static_size, PayloadTypes{*this, serial, domain});
  schema->semantics.resize(schema->entries.size());
  for (std::uint32_t i = 0; i < schema->entries.size(); ++i)
    if (const auto found = semantics_.find({serial, domain, id, i}); found != semantics_.end())
      schema->semantics[i] = found->second;
  return schema;
}

const PayloadEnum* PayloadSchemas::enumeration(std::uint32_t serial, std::uint32_t domain,
                                               std::uint64_t id) const {
  return find(enums_, {serial, domain, id});
}

const NvtxScope* PayloadSchemas::scope(std::uint32_t serial, std::uint32_t domain,
                                       std::uint64_t id) const {
  return find(scopes_, {serial, domain, id});
}

const Semantics* PayloadSchemas::counter_semantics(std::uint32_t serial, std::uint32_t domain,
                                                   std::uint64_t counter) const {
  const auto found = semantics_.find({serial, domain, counter, wire::kNvtxWholeCounter});
  return found == semantics_.end() ? nullptr : &found->second;
}

std::string PayloadSchemas::scope_path(std::uint32_t serial, std::uint32_t domain,
                                       std::uint64_t id) const {
  std::string path;
  const NvtxScope* at = scope(serial, domain, id);
  for (int step = 0; at != nullptr && step < kMaxParents; ++step) {
    const std::string_view part = strings_.text(at->path);
    path = path.empty() ? std::string(part) : std::string(part) + "/" + path;
    at = scope(serial, domain, at->parent);
  }
  return path;
}

void PayloadSchemas::write(report::ReportWriter& writer, std::uint32_t domain,
                           const PayloadSchema& schema) const {
  const auto text = [&](std::uint64_t hash) -> Value {
    if (hash == 0) return nullptr;
    return strings_.text(hash);
  };
  const wire::NvtxSchemaRecord& record = schema.record;
  const auto id = static_cast<std::int64_t>(record.id);
  writer.add("NVTX_PAYLOAD_SCHEMAS",
             {std::int64_t{domain}, id, text(record.name), static_cast<std::int64_t>(record.type),
              number(record.flags), static_cast<std::int64_t>(schema.entries.size()),
              number(record.static_size), number(record.alignment)});
  std::int64_t index = 0;
  for (const wire::NvtxSchemaEntry& entry : schema.entries)
    writer.add("NVTX_PAYLOAD_SCHEMA_ENTRIES",
               {std::int64_t{domain}, id, index++, number(entry.flags),
                static_cast<std::int64_t>(entry.type), text(entry.name), text(entry.description),
                number(entry.detail), number(entry.offset)});
}

void PayloadSchemas::write(report::ReportWriter& writer, std::uint32_t domain,
                           const PayloadEnum& values) const {
  const auto id = static_cast<std::int64_t>(values.record.id);
  const Value name =
      values.record.name == 0 ? Value(nullptr) : Value(strings_.text(values.record.name));
  writer.add("NVTX_PAYLOAD_ENUMS",
             {std::int64_t{domain}, id, name, static_cast<std::int64_t>(values.values.size()),
              static_cast<std::int64_t>(values.record.size)});
  std::int64_t index = 0;
  for (const wire::NvtxEnumValue& value : values.values)
    writer.add("NVTX_PAYLOAD_ENUM_ENTRIES",
               {std::int64_t{domain}, id, index++,
                value.name == 0 ? Value(nullptr) : Value(strings_.text(value.name)),
                number(value.value), number(value.is_flag)});
}

void PayloadSchemas::write(report::ReportWriter& writer) const {
  // The tables have no column for the process. The ranks of a job register equal schemas, which are
  // written once.
  const auto is_same = [](const auto& a, const auto& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
  };
  std::multimap<std::pair<std::uint32_t, std::uint64_t>, const PayloadSchema*> schemas;
  for (const auto& [key, schema] : schemas_) {
    const std::pair place{std::get<1>(key), std::get<2>(key)};
    const auto [begin, end] = schemas.equal_range(place);
    if (std::any_of(begin, end, [&](const auto& other) {
          return is_same(other.second->entries, schema.entries) &&
                 std::memcmp(&other.second->record, &schema.record, sizeof schema.record) == 0;
        }))
      continue;
    schemas.emplace(place, &schema);
    write(writer, place.first, schema);
  }
  std::multimap<std::pair<std::uint32_t, std::uint64_t>, const PayloadEnum*> enums;
  for (const auto& [key, values] : enums_) {
    const std::pair place{std::get<1>(key), std::get<2>(key)};
    const auto [begin, end] = enums.equal_range(place);
    if (std::any_of(begin, end, [&](const auto& other) {
          return is_same(other.second->values, values.values) &&
                 std::memcmp(&other.second->record, &values.record, sizeof values.record) == 0;
        }))
      continue;
    enums.emplace(place, &values);
    write(writer, place.first, values);
  }
  std::set<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t>> scopes;
  for (const auto& [key, scope] : scopes_) {
    const auto [serial, domain, id] = key;
    if (scopes.insert({domain, id, scope.parent, scope.path}).second)
      writer.add("NVTX_SCOPES",
                 {std::int64_t{domain}, static_cast<std::int64_t>(id),
                  static_cast<std::int64_t>(scope.parent), strings_.text(scope.path)});
  }
}

payloads::TypeInfo PayloadTypes::find(std::uint64_t id) const {
  if (const PayloadSchema* found = schemas.schema(serial, domain, id))
    return {found->layout.size, found->layout.own_align, &found->layout};
  if (const PayloadEnum* found = schemas.enumeration(serial, domain, id)) {
    const std::uint64_t size = found->record.size <= 8 ? found->record.size : 0;
    return {size, size, nullptr};
  }
  return {0, 0, nullptr};
}

}  // namespace prof::ingest
