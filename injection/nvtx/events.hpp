// Ranges and marks that the NVTX callbacks pass on. Texts are copied at once. Nothing allocates.
#pragma once

#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/domains.hpp"

namespace prof::nvtx {

// `Text` is `const char*` or `const wchar_t*`. push and pop return the level of the range (0:
// outermost) or kNoPushPopTracking.
template <class Text>
int push(Domain domain, Text text);
int push(Domain domain, const EventAttributes* attributes);
int pop(Domain domain);

template <class Text>
void mark(Domain domain, Text text);
void mark(Domain domain, const EventAttributes* attributes);

// The id is unique in the process. It is 0 for a domain that is not recorded.
template <class Text>
RangeId start(Domain domain, Text text);
RangeId start(Domain domain, const EventAttributes* attributes);
void end(Domain domain, RangeId id);

}  // namespace prof::nvtx
