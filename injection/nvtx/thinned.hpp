// Ranges and marks while --max-overhead is on: some are left out, both ends of a range or none.
#pragma once

#include "injection/core/record/capture.hpp"
#include "injection/core/record/countdowns.hpp"
#include "injection/nvtx/events.hpp"

// What a callback does: nothing while nobody collects, or what thinned.hpp does, or the usual.
#define PROF_EVENT(dormant, call)            \
  do {                                       \
    if (core::is_dormant()) return dormant;  \
    if (core::thins()) return thinned::call; \
    return call;                             \
  } while (false)

namespace prof::nvtx::thinned {

// The same as in events.hpp. `Source`: const char*, const wchar_t* or const EventAttributes*.
template <class Source>
int push(Domain domain, Source source);
int pop(Domain domain);
template <class Source>
void mark(Domain domain, Source source);
template <class Source>
RangeId start(Domain domain, Source source);
void end(Domain domain, RangeId id);

// Events with payloads of an extension are all recorded.
inline int push(Domain domain, const PayloadData* payloads, std::size_t count) {
  return nvtx::push(domain, payloads, count);
}
inline void mark(Domain domain, const PayloadData* payloads, std::size_t count) {
  nvtx::mark(domain, payloads, count);
}
inline RangeId start(Domain domain, const PayloadData* payloads, std::size_t count) {
  return nvtx::start(domain, payloads, count);
}
// The range may have begun without one.
int pop(Domain domain, const PayloadData* payloads, std::size_t count);
void end(Domain domain, RangeId id, const PayloadData* payloads, std::size_t count);

}  // namespace prof::nvtx::thinned
