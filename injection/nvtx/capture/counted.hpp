// Ranges while nobody collects, in sessions that count steps (prof launch --step-range). They leave
// no record. Their levels are followed, so that the end of a step is known.
#pragma once

#include <cstddef>

#include "injection/core/record/capture.hpp"
#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/extension_abi.hpp"

// The body of a callback that begins or ends a range: PROF_EVENT(), but a session that counts steps
// also counts while nobody collects. `counts` is a constant, so that other sessions do not pay for
// it.
#define PROF_RANGE(counts, dormant, call)           \
  do {                                              \
    if constexpr (counts)                           \
      if (core::is_dormant()) return counted::call; \
    PROF_EVENT(dormant, call);                      \
  } while (false)

namespace prof::nvtx::counted {

// Like the functions in events.hpp. `Source` is const char*, const wchar_t* or const
// EventAttributes*. Ranges with payloads of an extension have no text, and are never steps.
template <class Source>
int push(Domain domain, Source source);
int push(Domain domain, const PayloadData* payloads, std::size_t count);
int pop(Domain domain);
int pop(Domain domain, const PayloadData* payloads, std::size_t count);
template <class Source>
RangeId start(Domain domain, Source source);
RangeId start(Domain domain, const PayloadData* payloads, std::size_t count);
void end(Domain domain, RangeId id);
void end(Domain domain, RangeId id, const PayloadData* payloads, std::size_t count);

}  // namespace prof::nvtx::counted
