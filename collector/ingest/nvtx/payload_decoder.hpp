// Decodes the bytes of payloads according to their schemas.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/ingest/nvtx/payload_blocks.hpp"
#include "collector/ingest/nvtx/payload_schemas.hpp"
#include "collector/ingest/nvtx/payload_values.hpp"
#include "collector/ingest/string_table.hpp"

namespace prof::ingest {

class PayloadDecoder {
 public:
  // Decodes payloads of a domain of a process. The references outlive the decoder.
  PayloadDecoder(const PayloadSchemas& schemas, const StringTable& strings, std::uint32_t serial,
                 std::uint32_t domain)
      : schemas_(schemas), strings_(strings), types_{schemas, serial, domain} {}

  // Returns the entries of all payloads of an event. A payload that is a single value has no name.
  std::vector<PayloadValue> decode(const PayloadBlocks& blocks);

  // Returns one element of an array of payloads, at `base` in block 0, with offsets into block 1 if
  // it exists. Sets `end` to the end of the element.
  std::vector<PayloadValue> decode_element(const PayloadBlocks& blocks, std::uint64_t schema,
                                           std::uint64_t base, std::uint64_t& end);

 private:
  using Bytes = nvtx_payloads::Bytes;
  using Field = nvtx_payloads::Field;

  void decode_payload(const PayloadBlock& block, std::vector<PayloadValue>& out);
  std::uint64_t decode_schema(const PayloadSchema& schema, const nvtx_payloads::Schema& layout,
                              const Bytes& bytes, std::uint64_t base,
                              std::vector<PayloadValue>& out, unsigned depth);
  template <class Numbers>
  PayloadValue decode_field(const Bytes& bytes, const Field& field, const Numbers& numbers,
                            std::uint64_t& end, unsigned depth);
  PayloadValue decode_elements(const Bytes& bytes, const Field& field, std::uint64_t offset,
                               std::uint64_t& end, unsigned depth);
  PayloadValue decode_union(const Bytes& bytes, const PayloadSchema& schema, std::uint64_t offset,
                            std::uint64_t selector, unsigned depth);
  PayloadValue decode_one(const Bytes& bytes, std::uint64_t type, std::uint64_t offset,
                          std::uint64_t& end, unsigned depth);
  PayloadValue enum_value(const PayloadEnum& values, std::uint64_t bits) const;
  Bytes block_at(std::uint64_t address) const;
  std::uint64_t payload_length(std::uint64_t index) const;

  const PayloadSchemas& schemas_;
  const StringTable& strings_;
  PayloadTypes types_;
  const PayloadBlocks* blocks_ = nullptr;
  const PayloadBlock* flexible_ = nullptr;  // the block that offsets refer to, in a batch
  unsigned values_ = 0;                     // values of this event so far
};

// Returns the number or text of a predefined type at `at`, which has the type's size.
PayloadValue predefined_value(std::uint64_t type, const unsigned char* at);
// Returns a text of `units` code units, in UTF-8. It ends before the first zero.
std::string text_value(std::uint64_t type, const unsigned char* at, std::uint64_t units);

}  // namespace prof::ingest
