// Records the ranges and marks of the NVTX callbacks. Texts are copied at once. Nothing allocates
// memory.
#pragma once

#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/extension_abi.hpp"

namespace prof::nvtx {

// `Text` is `const char*` or `const wchar_t*`. push and pop return the level of the range (0:
// outermost) or kNoPushPopTracking.
template <class Text>
int push(Domain domain, Text text);
int push(Domain domain, const EventAttributes* attributes);
int push(Domain domain, const PayloadData* payloads, std::size_t count);
int pop(Domain domain);
int pop(Domain domain, const PayloadData* payloads, std::size_t count);

template <class Text>
void mark(Domain domain, Text text);
void mark(Domain domain, const EventAttributes* attributes);
void mark(Domain domain, const PayloadData* payloads, std::size_t count);

// Starts a range and returns its id, which is unique in the process; 0 for a domain that is not
// recorded.
template <class Text>
RangeId start(Domain domain, Text text);
RangeId start(Domain domain, const EventAttributes* attributes);
RangeId start(Domain domain, const PayloadData* payloads, std::size_t count);
void end(Domain domain, RangeId id);
void end(Domain domain, RangeId id, const PayloadData* payloads, std::size_t count);

}  // namespace prof::nvtx
