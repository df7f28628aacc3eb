// The door by which python shows what it sees as NVTX ranges. What is declared here is defined in
// nvtx, which knows domains, their filter and the ranges that begin a capture.
#pragma once

#include <cstdint>

namespace prof::core {

// A range of the calling thread's, inside of which others of the same domain may be.
struct RangeKind {
  const void* domain;   // see range_domain()
  std::uint64_t text;   // see intern()
  std::uint32_t color;  // ARGB; 0: none
};

// A domain's handle. The same for the same name, in fork children too.
const void* range_domain(const char* name);

void push_range(const RangeKind& kind);
void pop_range(const void* domain);

}  // namespace prof::core
