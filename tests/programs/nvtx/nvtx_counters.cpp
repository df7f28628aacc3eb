// Counters, deferred events and clocks of NVTX, from C++. Prints the values that a report must
// have, and between which readings of CLOCK_MONOTONIC_RAW they happened.
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsScope.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>
#include <nvtx3/nvToolsExtSync.h>
#include <time.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <nvtx3/nvtx3.hpp>

namespace {

nvtxDomainHandle_t domain;

std::int64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A clock that only this program has: 1,000 ticks per ms, from some moment on.
std::int64_t own_ticks() { return (clock_ns(CLOCK_MONOTONIC_RAW) - 1'000) / 1'000; }

template <std::size_t count>
std::uint64_t schema(const nvtxPayloadSchemaEntry_t (&entries)[count], std::uint64_t flags,
                     std::size_t size, std::uint64_t type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC) {
  nvtxPayloadSchemaAttr_t attributes{};
  attributes.fieldMask =
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS;
  attributes.type = type;
  attributes.flags = flags;
  attributes.entries = entries;
  attributes.numEntries = count;
  attributes.payloadStaticSize = size;
  return nvtxPayloadSchemaRegister(domain, &attributes);
}

nvtxPayloadSchemaEntry_t entry(std::uint64_t flags, std::uint64_t type, const char* name,
                               const void* semantics = nullptr) {
  nvtxPayloadSchemaEntry_t result{};
  result.flags = flags;
  result.type = type;
  result.name = name;
  result.semantics = static_cast<const nvtxSemanticsHeader_t*>(semantics);
  return result;
}

std::uint64_t counter(const char* name, std::uint64_t schema, std::uint64_t scope = 0,
                      const void* semantics = nullptr) {
  nvtxCounterAttr_t attributes{};
  attributes.structSize = sizeof attributes;
  attributes.schemaId = schema;
  attributes.name = name;
  attributes.description = "described";
  attributes.scopeId = scope;
  attributes.semantics = static_cast<const nvtxSemanticsHeader_t*>(semantics);
  return nvtxCounterRegister(domain, &attributes);
}

nvtxSemanticsTime_t time_semantics(std::uint64_t id) {
  return {
      {sizeof(nvtxSemanticsTime_t), NVTX_SEMANTIC_ID_TIME_V1, NVTX_TIME_SEMANTIC_VERSION, nullptr},
      id};
}

void simple_counters() {
  nvtxScopeAttr_t place{};
  place.structSize = sizeof place;
  place.path = "GPU[0]";
  place.parentScope = NVTX_SCOPE_ROOT;
  const std::uint64_t gpu = nvtxScopeRegister(domain, &place);
  place.path = "engine";
  place.parentScope = gpu;
  const std::uint64_t engine = nvtxScopeRegister(domain, &place);

  nvtxSemanticsCounter_t semantics{};
  semantics.header = {sizeof semantics, NVTX_SEMANTIC_ID_COUNTERS_V1, NVTX_COUNTER_SEMANTIC_VERSION,
                      nullptr};
  semantics.flags = NVTX_COUNTER_FLAG_LIMIT_MAX | NVTX_COUNTER_FLAG_VALUETYPE_ABSOLUTE |
                    NVTX_COUNTER_FLAG_INTERPOLATION_LINEAR;
  semantics.unit = "MB";
  semantics.unitScaleNumerator = semantics.unitScaleDenominator = 1;
  semantics.limitType = NVTX_COUNTER_LIMIT_I64;
  semantics.max.i64 = 100;
  const std::uint64_t memory = counter("memory", NVTX_PAYLOAD_ENTRY_TYPE_INT64, engine, &semantics);
  for (int i = 0; i < 3; ++i) nvtxCounterSampleInt64(domain, memory, 10 * i - 5);
  nvtxCounterSampleNoValue(domain, memory, NVTX_COUNTER_SAMPLE_UNCHANGED);
  nvtxCounterSampleNoValue(domain, memory, NVTX_COUNTER_SAMPLE_ZERO);
  nvtxCounterSampleNoValue(domain, memory, NVTX_COUNTER_SAMPLE_UNAVAILABLE);

  const std::uint64_t loss = counter("loss", NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE);
  nvtxCounterSampleFloat64(domain, loss, 0.75);
  const double by_reference = 0.5;
  nvtxCounterSample(domain, loss, &by_reference, sizeof by_reference);
  nvtxCounterSampleInt64(domain, 424242, 1);  // never registered
}

struct Group {
  std::uint32_t reads;
  float rate;
};

void groups() {
  const nvtxPayloadSchemaEntry_t entries[] = {
      entry(NVTX_PAYLOAD_ENTRY_FLAG_COUNTER, NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "reads"),
      entry(NVTX_PAYLOAD_ENTRY_FLAG_COUNTER, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "rate")};
  const std::uint64_t layout =
      schema(entries, NVTX_PAYLOAD_SCHEMA_FLAG_COUNTER_GROUP, sizeof(Group));
  const std::uint64_t disk = counter("disk", layout);
  const Group now{7, 1.5F};
  nvtxCounterSample(domain, disk, &now, sizeof now);
  const Group later[] = {{8, 2.5F}, {9, 3.5F}};
  const std::int64_t times[] = {nvtxTimestampGet(), nvtxTimestampGet()};
  nvtxCounterBatch_t batch{};
  batch.counterId = disk;
  batch.counters = later;
  batch.countersSize = sizeof later;
  batch.timestamps = times;
  batch.timestampsSize = sizeof times;
  nvtxCounterBatchSubmit(domain, &batch);

  // A time and an interval, of a clock of the system.
  const nvtxSemanticsTime_t monotonic =
      time_semantics(NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC);
  const std::uint64_t steady = counter("steady", NVTX_PAYLOAD_ENTRY_TYPE_INT16, 0, &monotonic);
  const std::int16_t values[] = {-1, -2, -3};
  const std::int64_t begin[] = {clock_ns(CLOCK_MONOTONIC), 1'000};
  batch = {};
  batch.counterId = steady;
  batch.counters = values;
  batch.countersSize = sizeof values;
  batch.timestamps = begin;
  batch.timestampsSize = sizeof begin;
  batch.flags = NVTX_COUNTER_BATCH_FLAG_BEGINTIME_INTERVAL_PAIR;
  nvtxCounterBatchSubmit(domain, &batch);
}

struct Deferred {
  std::int64_t begin, end;
  char name[16];
  std::uint32_t color;
  std::int32_t size;
};

void deferred_events() {
  nvtxTimeDomainAttr_t own{};
  own.timerResolution = 1'000'000;
  const std::uint64_t own_clock = nvtxTimeDomainRegister(domain, &own);
  nvtxTimerSource(domain, own_clock, NVTX_TIMER_SOURCE_SAFE_CALL_AFTER_PROCESS_TEARDOWN, own_ticks);
  const nvtxSemanticsTime_t by_own = time_semantics(own_clock);
  const nvtxSemanticsTime_t by_raw =
      time_semantics(NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC_RAW);
  const auto entries_with = [](const nvtxSemanticsTime_t& time) {
    struct Entries {
      nvtxPayloadSchemaEntry_t all[5];
    };
    return Entries{{entry(NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN,
                          NVTX_PAYLOAD_ENTRY_TYPE_INT64, "begin", &time),
                    entry(NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END,
                          NVTX_PAYLOAD_ENTRY_TYPE_INT64, "end", &time),
                    [] {
                      auto name = entry(NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE,
                                        NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "name");
                      name.arrayOrUnionDetail = 16;
                      return name;
                    }(),
                    entry(0, NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB, "color"),
                    entry(0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "size")}};
  };
  const std::uint64_t pushed =
      schema(entries_with(by_raw).all, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP, sizeof(Deferred));
  const std::uint64_t started =
      schema(entries_with(by_own).all, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND, sizeof(Deferred));

  const std::int64_t raw = clock_ns(CLOCK_MONOTONIC_RAW);
  const Deferred ranges[] = {{raw, raw + 5'000, "deferred one", 0xff112233, 1},
                             {raw + 6'000, raw + 9'000, "deferred two", 0xff445566, 2}};
  nvtxEventBatch_t batch{};
  batch.eventSchemaId = pushed;
  batch.size = sizeof ranges;
  batch.events = ranges;
  batch.scope = NVTX_SCOPE_CURRENT_SW_THREAD;
  nvtxEventBatchSubmit(domain, &batch);

  const std::int64_t ticks = own_ticks();
  const Deferred own_range{ticks, ticks + 7, "own clock", 0, 3};
  const nvtxPayloadData_t data{started, sizeof own_range, &own_range};
  nvtxEventSubmit(domain, &data, 1);
  std::printf("  \"raw\": %" PRId64 ", \"ticks\": %" PRId64 ", ", raw, ticks * 1'000 + 1'000);
}

void locks() {
  nvtxSyncUserAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "spin lock";
  nvtxSyncUser_t lock = nvtxDomainSyncUserCreate(domain, &attributes);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireFailed(lock);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireSuccess(lock);
  nvtxDomainSyncUserReleasing(lock);
  nvtxDomainSyncUserDestroy(lock);
}

struct cpp_domain {
  static constexpr char const* name{"nvtx3.hpp"};
};

// Events whose attributes are in their payloads, and ranges whose ends have payloads.
void events() {
  nvtxPayloadSchemaEntry_t entries[] = {
      entry(NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "message"),
      entry(0, NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY, "category"),
      entry(0, NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB, "color"),
      entry(0, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "bytes")};
  entries[0].flags |= NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY;
  struct Attributes {
    const char* message;
    std::uint32_t category, color;
    std::int64_t bytes;
  };
  const std::uint64_t layout = schema(entries, 0, sizeof(Attributes));
  nvtxDomainNameCategoryA(domain, 5, "io");
  const Attributes outer{"outer by payload", 5, 0xff0000ff, 100};
  const nvtxPayloadData_t outer_data{layout, sizeof outer, &outer};
  const Attributes inner{"inner by payload", 5, 0xff00ff00, 200};
  const nvtxPayloadData_t inner_data{layout, sizeof inner, &inner};
  nvtxRangePushPayload(domain, &outer_data, 1);
  const nvtxRangeId_t range = nvtxRangeStartPayload(domain, &inner_data, 1);
  nvtxMarkPayload(domain, &inner_data, 1);
  nvtxRangeEndPayload(domain, range, &outer_data, 1);  // another message and color
  const std::int64_t result = -1;
  const nvtxPayloadData_t result_data{NVTX_PAYLOAD_ENTRY_TYPE_INT64, sizeof result, &result};
  nvtxRangePopPayload(domain, &result_data, 1);

  nvtx3::scoped_range_in<cpp_domain> scoped{"scoped", nvtx3::payload{12.5}};
}

}  // namespace

int main() {
  domain = nvtxDomainCreateA("counters");
  std::printf("{\"before\": %" PRId64 ", ", clock_ns(CLOCK_MONOTONIC_RAW));
  simple_counters();
  groups();
  deferred_events();
  events();
  locks();
  std::printf("  \"after\": %" PRId64 "}\n", clock_ns(CLOCK_MONOTONIC_RAW));
  return 0;
}
