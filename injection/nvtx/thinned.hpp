// Ranges and marks with --max-overhead. Some are left out: both ends of a range or none.
#pragma once

#include "injection/core/record/capture.hpp"
#include "injection/core/record/countdowns.hpp"
#include "injection/nvtx/events.hpp"

// The body of a callback: does nothing while nobody collects; otherwise makes the call here with
// --max-overhead, or else in events.hpp.
#define PROF_EVENT(dormant, call)            \
  do {                                       \
    if (core::is_dormant()) return dormant;  \
    if (core::thins()) return thinned::call; \
    return call;                             \
  } while (false)

namespace prof::nvtx::thinned {

// Like the functions in events.hpp. `Source` is const char*, const wchar_t* or const
// EventAttributes*.
template <class Source>
int push(Domain domain, Source source);
int pop(Domain domain);
template <class Source>
void mark(Domain domain, Source source);
template <class Source>
RangeId start(Domain domain, Source source);
void end(Domain domain, RangeId id);

// Events with payloads of an extension are never left out.
inline int push(Domain domain, const PayloadData* payloads, std::size_t count) {
  return nvtx::push(domain, payloads, count);
}
inline void mark(Domain domain, const PayloadData* payloads, std::size_t count) {
  nvtx::mark(domain, payloads, count);
}
inline RangeId start(Domain domain, const PayloadData* payloads, std::size_t count) {
  return nvtx::start(domain, payloads, count);
}
// Ends a range with payloads. The range may have begun without one.
int pop(Domain domain, const PayloadData* payloads, std::size_t count);
void end(Domain domain, RangeId id, const PayloadData* payloads, std::size_t count);

}  // namespace prof::nvtx::thinned
