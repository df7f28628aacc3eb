// The payload schemas and enums that this process has registered. The process itself needs them to
// find the memory that payloads point to.
#pragma once

#include "common/wire/nvtx_payloads/payload_types.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

// Register a schema or an enum. Both return its id, or 0 for attributes that are not valid.
std::uint64_t register_schema(Domain domain, const SchemaAttributes* attributes);
std::uint64_t register_enum(Domain domain, const EnumAttributes* attributes);

// Returns the client's id if it has one, else a new id that is unique in the process.
std::uint64_t id_or_new(std::uint64_t id);

// Records the semantic extensions of a counter or of an entry of a schema.
void record_semantics(Domain domain, std::uint64_t owner, std::uint32_t entry,
                      const SemanticsHeader* first);

struct KnownSchema {
  nvtx_payloads::Schema layout;
  bool refers_to_memory;  // has addresses of texts, or of memory to copy
  bool has_offsets;       // refers to bytes after it
};

// The types of a domain, for nvtx_payloads::walk().
struct DomainTypes {
  std::uint32_t domain;

  nvtx_payloads::TypeInfo find(std::uint64_t id) const;
  const KnownSchema* schema(std::uint64_t id) const;  // null: not known, or an enum
};

}  // namespace prof::nvtx
