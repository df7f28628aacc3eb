// The entry point for NVTX's extensions. Each DSO that uses one has its own function slots and
// calls it once for each extension, after InitializeInjectionNvtx2. Of the payload extension it
// takes the functions that make events. They act as the calls without a payload, so that pushes and
// pops stay balanced; what the payload contains is not recorded. It leaves all other functions
// alone: NVTX then answers as if no tool handled them. It always succeeds, because otherwise the
// client would switch off functions that NVTX answers itself.
#include "injection/core/record/capture.hpp"
#include "injection/nvtx/abi.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/events.hpp"
#include "injection/nvtx/traced.hpp"
#include "injection/nvtx/trigger.hpp"

namespace prof::nvtx {

namespace {

// The message of such an event is in its payload.
constexpr const char* kNoText = nullptr;

// The callbacks, with the C signatures of the NVTX API. `data` and `count` are the payloads.
void mark_payload(DomainHandle d, const void* /*data*/, std::size_t /*count*/) {
  if (!core::is_dormant()) mark(domain_of(d), kNoText);
}
int push_payload(DomainHandle d, const void* /*data*/, std::size_t /*count*/) {
  return core::is_dormant() ? kNoPushPopTracking : push(domain_of(d), kNoText);
}
int pop_payload(DomainHandle d, const void* /*data*/, std::size_t /*count*/) {
  return core::is_dormant() ? kNoPushPopTracking : pop(domain_of(d));
}
RangeId start_payload(DomainHandle d, const void* /*data*/, std::size_t /*count*/) {
  return core::is_dormant() ? 0 : start(domain_of(d), kNoText);
}
void end_payload(DomainHandle d, RangeId id, const void* /*data*/, std::size_t /*count*/) {
  if (!core::is_dormant()) end(domain_of(d), id);
}

template <class Function>
void fill_slot(const ExtensionSegment& segment, unsigned id, Function* function) {
  if (id < segment.slot_count) segment.slots[id] = reinterpret_cast<std::intptr_t>(function);
}

// The payload extension has one segment.
bool is_known(const ExtensionModule& module) {
  return module.struct_size >= sizeof module && module.module == kPayloadExtension &&
         module.compatibility >> 8 == kPayloadMajorVersion && module.segment_count > 0 &&
         module.segments != nullptr && module.segments->slots != nullptr;
}

}  // namespace
}  // namespace prof::nvtx

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    const prof::nvtx::ExtensionModule* module) {
  using namespace prof::nvtx;
  if (module == nullptr || !is_known(*module) || !traced()) return 1;
  apply_domain_filter();
  prepare_trigger();
  const ExtensionSegment& segment = *module->segments;
  fill_slot(segment, kMarkPayload, mark_payload);
  fill_slot(segment, kRangePushPayload, push_payload);
  fill_slot(segment, kRangePopPayload, pop_payload);
  fill_slot(segment, kRangeStartPayload, start_payload);
  fill_slot(segment, kRangeEndPayload, end_payload);
  return 1;
}
