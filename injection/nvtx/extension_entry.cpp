// The entry point for NVTX's extensions. Each DSO that uses one has separate function slots and
// calls the entry point once for each extension, after InitializeInjectionNvtx2. If prof leaves a
// slot alone, its function does nothing: NVTX then answers as if no tool handled it. The entry
// point always succeeds, because otherwise the client would switch off functions that NVTX answers
// itself.
#include "injection/core/clock.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/nvtx/capture/counted.hpp"
#include "injection/nvtx/capture/trigger.hpp"
#include "injection/nvtx/clients/clients.hpp"
#include "injection/nvtx/clients/extensions.hpp"
#include "injection/nvtx/counters.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/events.hpp"
#include "injection/nvtx/extension_abi.hpp"
#include "injection/nvtx/memory.hpp"
#include "injection/nvtx/schemas.hpp"
#include "injection/nvtx/thinned.hpp"
#include "injection/nvtx/time_domains.hpp"
#include "injection/nvtx/traced.hpp"

namespace prof::nvtx {

namespace {

using Payloads = const PayloadData*;

// The callbacks, with the C signatures of the NVTX API. Registrations are recorded even while
// nobody collects. All other callbacks return at once then.
std::uint64_t schema_register(DomainHandle d, const SchemaAttributes* a) {
  return register_schema(domain_of(d), a);
}
std::uint64_t enum_register(DomainHandle d, const EnumAttributes* a) {
  return register_enum(domain_of(d), a);
}
std::uint64_t scope_register(DomainHandle d, const ScopeAttributes* a) {
  return register_scope(domain_of(d), a);
}
void mark_payload(DomainHandle d, Payloads data, std::size_t count) {
  PROF_EVENT(, mark(domain_of(d), data, count));
}
template <bool counts>
int push_payload(DomainHandle d, Payloads data, std::size_t count) {
  PROF_RANGE(counts, kNoPushPopTracking, push(domain_of(d), data, count));
}
template <bool counts>
int pop_payload(DomainHandle d, Payloads data, std::size_t count) {
  PROF_RANGE(counts, kNoPushPopTracking, pop(domain_of(d), data, count));
}
template <bool counts>
RangeId start_payload(DomainHandle d, Payloads data, std::size_t count) {
  PROF_RANGE(counts, 0, start(domain_of(d), data, count));
}
template <bool counts>
void end_payload(DomainHandle d, RangeId id, Payloads data, std::size_t count) {
  PROF_RANGE(counts, , end(domain_of(d), id, data, count));
}
// The answer is also true while nobody collects: clients ask once, and never make an event after a
// false answer.
std::uint8_t is_enabled(DomainHandle d) { return domain_of(d).recorded ? 1 : 0; }

std::int64_t timestamp_get() { return static_cast<std::int64_t>(core::now()); }
std::uint64_t time_domain_register(DomainHandle d, const TimeDomainAttributes* a) {
  return register_time_domain(domain_of(d), a);
}
void timer_source(DomainHandle d, std::uint64_t id, std::uint64_t /*flags*/,
                  std::int64_t (*read)()) {
  register_timer(domain_of(d), id, {read, nullptr, nullptr});
}
void timer_source_with_data(DomainHandle d, std::uint64_t id, std::uint64_t /*flags*/,
                            std::int64_t (*read)(void*), void* data) {
  register_timer(domain_of(d), id, {nullptr, read, data});
}
void sync_point(DomainHandle d, std::uint64_t first, std::uint64_t second, std::int64_t first_time,
                std::int64_t second_time) {
  const SyncPoint point{first_time, second_time};
  record_sync_points(domain_of(d), first, second, &point, 1);
}
void sync_point_table(DomainHandle d, std::uint64_t source, std::uint64_t target,
                      const SyncPoint* points, std::size_t count) {
  record_sync_points(domain_of(d), source, target, points, count);
}
void conversion_factor(DomainHandle d, std::uint64_t source, std::uint64_t target, double slope,
                       std::int64_t source_time, std::int64_t target_time) {
  record_slope(domain_of(d), source, target, slope, {source_time, target_time});
}
void event_submit(DomainHandle d, Payloads data, std::size_t count) {
  if (!core::is_dormant()) submit(domain_of(d), data, count);
}
void event_batch_submit(DomainHandle d, const EventBatch* batch) {
  if (!core::is_dormant()) submit(domain_of(d), batch);
}

std::uint64_t counter_register(DomainHandle d, const CounterAttributes* a) {
  return register_counter(domain_of(d), a);
}
void sample_int64(DomainHandle d, std::uint64_t id, std::int64_t value) {
  if (!core::is_dormant()) sample(domain_of(d), id, value);
}
void sample_float64(DomainHandle d, std::uint64_t id, double value) {
  if (!core::is_dormant()) sample(domain_of(d), id, value);
}
void sample_values(DomainHandle d, std::uint64_t id, const void* values, std::size_t size) {
  if (!core::is_dormant()) sample(domain_of(d), id, values, size);
}
void sample_no_value(DomainHandle d, std::uint64_t id, std::uint8_t reason) {
  if (!core::is_dormant()) sample_without_value(domain_of(d), id, reason);
}
void counter_batch_submit(DomainHandle d, const CounterBatch* batch) {
  if (!core::is_dormant()) submit(domain_of(d), batch);
}

// A heap is registered for later collections, too. Regions come and go as allocations do.
MemoryHandle heap_register(DomainHandle d, const HeapDescription* heap) {
  return register_heap(domain_of(d), heap);
}
template <wire::NvtxMemory what>
void heap_event(DomainHandle d, MemoryHandle heap) {
  if (!core::is_dormant()) record_heap(domain_of(d), heap, what);
}
void regions_register(DomainHandle d, const RegionsRegisterBatch* batch) {
  if (!core::is_dormant()) register_regions(domain_of(d), batch);
}
void regions_resize(DomainHandle d, const RegionsResizeBatch* batch) {
  if (!core::is_dormant()) resize_regions(domain_of(d), batch);
}
void regions_unregister(DomainHandle d, const RegionsUnregisterBatch* batch) {
  if (!core::is_dormant()) unregister_regions(domain_of(d), batch);
}
void regions_name(DomainHandle d, const RegionsNameBatch* batch) {
  if (!core::is_dormant()) name_regions(domain_of(d), batch);
}

template <class Function>
void fill_slot(const ExtensionSegment& segment, unsigned id, Function* function) {
  if (id < segment.slot_count) segment.slots[id] = reinterpret_cast<std::intptr_t>(function);
}

template <bool counts>
void fill_payload_slots(const ExtensionSegment& segment) {
  fill_slot(segment, kPayloadSchemaRegister, schema_register);
  fill_slot(segment, kPayloadEnumRegister, enum_register);
  fill_slot(segment, kScopeRegister, scope_register);
  fill_slot(segment, kMarkPayload, mark_payload);
  fill_slot(segment, kRangePushPayload, push_payload<counts>);
  fill_slot(segment, kRangePopPayload, pop_payload<counts>);
  fill_slot(segment, kRangeStartPayload, start_payload<counts>);
  fill_slot(segment, kRangeEndPayload, end_payload<counts>);
  fill_slot(segment, kDomainIsEnabled, is_enabled);
  fill_slot(segment, kTimestampGet, timestamp_get);
  fill_slot(segment, kTimeDomainRegister, time_domain_register);
  fill_slot(segment, kTimerSource, timer_source);
  fill_slot(segment, kTimerSourceWithData, timer_source_with_data);
  fill_slot(segment, kTimeSyncPoint, sync_point);
  fill_slot(segment, kTimeSyncPointTable, sync_point_table);
  fill_slot(segment, kTimestampConversionFactor, conversion_factor);
  fill_slot(segment, kEventSubmit, event_submit);
  fill_slot(segment, kEventBatchSubmit, event_batch_submit);
}

void fill_counter_slots(const ExtensionSegment& segment) {
  fill_slot(segment, kCounterRegister, counter_register);
  fill_slot(segment, kCounterSampleInt64, sample_int64);
  fill_slot(segment, kCounterSampleFloat64, sample_float64);
  fill_slot(segment, kCounterSample, sample_values);
  fill_slot(segment, kCounterSampleNoValue, sample_no_value);
  fill_slot(segment, kCounterBatchSubmit, counter_batch_submit);
}

void fill_memory_slots(const ExtensionSegment& segment) {
  fill_slot(segment, kMemHeapRegister, heap_register);
  fill_slot(segment, kMemHeapUnregister, heap_event<wire::NvtxMemory::kHeapEnd>);
  fill_slot(segment, kMemHeapReset, heap_event<wire::NvtxMemory::kHeapReset>);
  fill_slot(segment, kMemRegionsRegister, regions_register);
  fill_slot(segment, kMemRegionsResize, regions_resize);
  fill_slot(segment, kMemRegionsUnregister, regions_unregister);
  fill_slot(segment, kMemRegionsName, regions_name);
}

// True if the extension is complete and of a version that prof knows. These extensions have one
// segment.
bool makes_sense(const ExtensionModule& module) {
  return module.struct_size >= sizeof module &&
         module.compatibility >> 8 == kExtensionMajorVersion && module.segment_count > 0 &&
         module.segments != nullptr && module.segments->slots != nullptr;
}

}  // namespace

void fill_slots(std::uint16_t module, const ExtensionSegment& segment) {
  if (module == kPayloadExtension)
    counts_steps() ? fill_payload_slots<true>(segment) : fill_payload_slots<false>(segment);
  if (module == kCountersExtension) fill_counter_slots(segment);
  if (module == kMemoryExtension) fill_memory_slots(segment);
}

}  // namespace prof::nvtx

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    const prof::nvtx::ExtensionModule* module) {
  using namespace prof::nvtx;
  if (module == nullptr || !makes_sense(*module) || !traced()) return 1;
  apply_domain_filter();
  prepare_trigger();
  fill_slots(module->module, *module->segments);
  keep_extension(*module);
  return 1;
}
