#include "injection/core/doors.hpp"

#include "injection/core/record/capture.hpp"
#include "injection/nvtx/capture/counted.hpp"
#include "injection/nvtx/capture/trigger.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/events.hpp"

namespace prof::core {

// The name of the domain may not have been sent yet: the program itself may not use NVTX.
const void* range_domain(const char* name) {
  nvtx::prepare_trigger();
  return nvtx::create_domain(name);
}

void push_range(const RangeKind& kind, std::uint64_t payload) {
  if (is_dormant() && !nvtx::counts_steps()) return;
  nvtx::EventAttributes attributes{};
  attributes.size = sizeof attributes;
  attributes.color_type = kind.color != 0 ? nvtx::kColorArgb : 0;
  attributes.color = kind.color;
  attributes.payload_type = static_cast<std::int32_t>(payload != 0 ? wire::NvtxPayload::kUint64
                                                                   : wire::NvtxPayload::kNone);
  attributes.payload = payload;
  attributes.message_type = nvtx::kMessageRegistered;
  attributes.message.registered = reinterpret_cast<nvtx::StringHandle>(kind.text);
  const nvtx::Domain domain = nvtx::domain_of(const_cast<void*>(kind.domain));
  const nvtx::EventAttributes* const event = &attributes;
  is_dormant() ? nvtx::counted::push(domain, event) : nvtx::push(domain, event);
}

void pop_range(const void* domain) {
  const nvtx::Domain handle = nvtx::domain_of(const_cast<void*>(domain));
  is_dormant() ? nvtx::counted::pop(handle) : nvtx::pop(handle);
}

}  // namespace prof::core
