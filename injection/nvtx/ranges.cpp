#include "injection/core/doors.hpp"

#include "injection/core/record/capture.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/events.hpp"
#include "injection/nvtx/trigger.hpp"

namespace prof::core {

// The name of the domain may not have been sent yet: the program itself may not use NVTX.
const void* range_domain(const char* name) {
  nvtx::prepare_trigger();
  return nvtx::create_domain(name);
}

void push_range(const RangeKind& kind) {
  if (is_dormant()) return;
  nvtx::EventAttributes attributes{};
  attributes.size = sizeof attributes;
  attributes.color_type = kind.color != 0 ? nvtx::kColorArgb : 0;
  attributes.color = kind.color;
  attributes.message_type = nvtx::kMessageRegistered;
  attributes.message.registered = reinterpret_cast<nvtx::StringHandle>(kind.text);
  nvtx::push(nvtx::domain_of(const_cast<void*>(kind.domain)),
             static_cast<const nvtx::EventAttributes*>(&attributes));
}

void pop_range(const void* domain) {
  if (!is_dormant()) nvtx::pop(nvtx::domain_of(const_cast<void*>(domain)));
}

}  // namespace prof::core
