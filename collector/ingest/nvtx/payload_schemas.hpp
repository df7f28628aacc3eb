// Schemas, enums, scopes and semantics that programs have registered with NVTX, by process, domain
// and id. Forked children know what their parents registered.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "collector/ingest/process_table.hpp"
#include "collector/ingest/string_table.hpp"
#include "common/report/report_writer.hpp"
#include "common/wire/nvtx_payloads/payload_walk.hpp"
#include "common/wire/nvtx_records.hpp"

namespace prof::ingest {

// The values of a semantic extension, by its id (wire::NvtxSemanticsRecord::values).
using Semantics = std::map<std::uint8_t, std::array<std::uint64_t, 7>>;

struct PayloadSchema {
  wire::NvtxSchemaRecord record;
  std::vector<wire::NvtxSchemaEntry> entries;
  std::vector<nvtx_payloads::Entry> layout_entries;
  // Measured when the schema is first used, because schemas are collected in any order.
  mutable nvtx_payloads::Schema layout{};
  mutable std::vector<Semantics> semantics{};  // by entry
  mutable bool measured = false;
};

struct PayloadEnum {
  wire::NvtxEnumRecord record;
  std::vector<wire::NvtxEnumValue> values;
};

struct NvtxScope {
  std::uint64_t parent;
  std::uint64_t path;  // text
};

// NVTX's numbers of semantic extensions.
enum SemanticsId : std::uint8_t {
  kScopeSemantics = 1,
  kTimeSemantics = 2,
  kCounterSemantics = 5,
};

class PayloadSchemas {
 public:
  PayloadSchemas(const StringTable& strings, const ProcessTable& processes)
      : strings_(strings), processes_(processes) {}

  // First pass: adds a definition.
  void define(std::uint32_t serial, const wire::NvtxSchemaRecord& record,
              std::span<const std::byte> entries);
  void define(std::uint32_t serial, const wire::NvtxEnumRecord& record,
              std::span<const std::byte> values);
  void define(std::uint32_t serial, const wire::NvtxSemanticsRecord& record);
  void define(std::uint32_t serial, const wire::NvtxScopeRecord& record);

  // These return what was registered in a domain of a process, or null if nothing has this id.
  const PayloadSchema* schema(std::uint32_t serial, std::uint32_t domain, std::uint64_t id) const;
  const PayloadEnum* enumeration(std::uint32_t serial, std::uint32_t domain,
                                 std::uint64_t id) const;
  const NvtxScope* scope(std::uint32_t serial, std::uint32_t domain, std::uint64_t id) const;
  const Semantics* counter_semantics(std::uint32_t serial, std::uint32_t domain,
                                     std::uint64_t counter) const;

  // Returns the path of a scope from the root; empty if it is not known.
  std::string scope_path(std::uint32_t serial, std::uint32_t domain, std::uint64_t id) const;

  // Writes the rows of NVTX_PAYLOAD_SCHEMAS, _ENTRIES, _ENUMS, _ENUM_ENTRIES and NVTX_SCOPES.
  void write(report::ReportWriter& writer) const;

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // serial, domain, id
  template <class Value>
  using Table = std::map<Key, Value>;

  template <class Value>
  const Value* find(const Table<Value>& table, const Key& key) const;
  void write(report::ReportWriter& writer, std::uint32_t domain, const PayloadSchema& schema) const;
  void write(report::ReportWriter& writer, std::uint32_t domain, const PayloadEnum& values) const;

  const StringTable& strings_;
  const ProcessTable& processes_;
  Table<PayloadSchema> schemas_;
  Table<PayloadEnum> enums_;
  Table<NvtxScope> scopes_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t>, Semantics>
      semantics_;  // by serial, domain, owner, entry
};

// The types of a domain, for nvtx_payloads::walk().
struct PayloadTypes {
  const PayloadSchemas& schemas;
  std::uint32_t serial;
  std::uint32_t domain;

  nvtx_payloads::TypeInfo find(std::uint64_t id) const;
};

}  // namespace prof::ingest
