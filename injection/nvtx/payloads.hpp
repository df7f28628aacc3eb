// Copies the payloads of an event, and the memory to which they point, into records.
#pragma once

#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

// Returns the token that connects the copies with their event; 0 if there is nothing to copy. Sizes
// and addresses come from the program: what is too large is cut, and what cannot be read is left
// out.
std::uint64_t copy_payloads(Domain domain, const PayloadData* payloads, std::size_t count);

// A block of memory that is not a payload of an event: samples, deferred events.
struct Block {
  std::uint64_t schema;
  const void* address;
  std::size_t size;
};
std::uint64_t copy_blocks(Domain domain, const Block* blocks, std::size_t count);

}  // namespace prof::nvtx
