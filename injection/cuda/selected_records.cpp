#include "injection/cuda/selected_records.hpp"

#include <cupti_activity_deprecated.h>

#include <algorithm>
#include <cstring>

#include "injection/cuda/scoped.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

// The records as CUPTI 13.5 makes them: fields are in the order of the selection, with their
// natural alignment. Correlation ids have 64 bits, which they do not have in CUPTI's own structs.
struct Kernel {
  CUpti_ActivityKind kind;
  std::uint32_t device;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint64_t correlation;
  std::int64_t grid_id;
  const char* name;
  std::uint64_t graph_node;
  std::uint64_t local_memory;
  std::uint32_t graph;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared;
  std::int32_t dynamic_shared;
  std::uint32_t local_memory_per_thread;
  std::uint32_t shared_executed;
  std::uint32_t shared_limit;
  std::uint32_t cluster[3];
  std::uint16_t registers;
  std::uint8_t cache_config;
  std::uint8_t launch_type;
};
static_assert(sizeof(Kernel) == 136);

struct Copy {
  CUpti_ActivityKind kind;
  std::uint32_t device;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t bytes;
  std::uint64_t correlation;
  std::uint64_t graph_node;
  std::uint64_t count;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t graph;
  std::uint8_t copy_kind;
  std::uint8_t source;
  std::uint8_t target;
};
static_assert(sizeof(Copy) == 72);

struct Fill {
  CUpti_ActivityKind kind;
  std::uint32_t device;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t bytes;
  std::uint64_t correlation;
  std::uint64_t graph_node;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t graph;
  std::uint32_t value;
  std::uint16_t memory_kind;
};
static_assert(sizeof(Fill) == 72);

struct Field {
  int number;
  std::uint16_t offset;
  std::uint16_t bytes;
};
#define FIELD(record, number, member) \
  { number, offsetof(record, member), sizeof(record::member) }
// Three fields with consecutive numbers.
#define VECTOR(record, number, member)                                                    \
  {number, offsetof(record, member), 4}, {number + 1, offsetof(record, member) + 4, 4}, { \
    number + 2, offsetof(record, member) + 8, 4                                           \
  }

constexpr Field kKernelFields[] = {
    FIELD(Kernel, 0, kind),
    FIELD(Kernel, 10, device),
    FIELD(Kernel, 7, start),
    FIELD(Kernel, 8, end),
    FIELD(Kernel, 11, context),
    FIELD(Kernel, 12, stream),
    FIELD(Kernel, 22, correlation),
    FIELD(Kernel, 23, grid_id),
    FIELD(Kernel, 24, name),
    FIELD(Kernel, 31, graph_node),
    FIELD(Kernel, 41, local_memory),
    FIELD(Kernel, 33, graph),
    VECTOR(Kernel, 13, grid),
    VECTOR(Kernel, 16, block),
    FIELD(Kernel, 19, static_shared),
    FIELD(Kernel, 20, dynamic_shared),
    FIELD(Kernel, 21, local_memory_per_thread),
    FIELD(Kernel, 30, shared_executed),
    FIELD(Kernel, 32, shared_limit),
    VECTOR(Kernel, 37, cluster),
    FIELD(Kernel, 4, registers),
    FIELD(Kernel, 1, cache_config),
    FIELD(Kernel, 27, launch_type),
};
constexpr Field kCopyFields[] = {
    FIELD(Copy, 0, kind),        FIELD(Copy, 8, device), FIELD(Copy, 6, start),
    FIELD(Copy, 7, end),         FIELD(Copy, 5, bytes),  FIELD(Copy, 11, correlation),
    FIELD(Copy, 12, graph_node), FIELD(Copy, 17, count), FIELD(Copy, 9, context),
    FIELD(Copy, 10, stream),     FIELD(Copy, 13, graph), FIELD(Copy, 1, copy_kind),
    FIELD(Copy, 2, source),      FIELD(Copy, 3, target),
};
constexpr Field kFillFields[] = {
    FIELD(Fill, 0, kind),        FIELD(Fill, 5, device),  FIELD(Fill, 3, start),
    FIELD(Fill, 4, end),         FIELD(Fill, 2, bytes),   FIELD(Fill, 8, correlation),
    FIELD(Fill, 11, graph_node), FIELD(Fill, 6, context), FIELD(Fill, 7, stream),
    FIELD(Fill, 12, graph),      FIELD(Fill, 1, value),   FIELD(Fill, 10, memory_kind),
};
#undef VECTOR
#undef FIELD

#if CUPTI_API_VERSION >= 130400
// What the struct has as `executed` is the field `requested` (measured with CUPTI 13.5).
static_assert(KERNEL_FIELD_CACHE_CONFIG_REQUESTED == 1 && KERNEL_FIELD_REGISTERS_PER_THREAD == 4 &&
              KERNEL_FIELD_START == 7 && KERNEL_FIELD_DEVICE_ID == 10 &&
              KERNEL_FIELD_STREAM_ID == 12 && KERNEL_FIELD_GRID_X == 13 &&
              KERNEL_FIELD_BLOCK_X == 16 && KERNEL_FIELD_STATIC_SHARED_MEMORY == 19 &&
              KERNEL_FIELD_LOCAL_MEMORY_PER_THREAD == 21 && KERNEL_FIELD_CORRELATION_ID == 22 &&
              KERNEL_FIELD_NAME == 24 && KERNEL_FIELD_LAUNCH_TYPE == 27 &&
              KERNEL_FIELD_SHARED_MEMORY_EXECUTED == 30 && KERNEL_FIELD_GRAPH_NODE_ID == 31 &&
              KERNEL_FIELD_SHMEM_LIMIT_CONFIG == 32 && KERNEL_FIELD_GRAPH_ID == 33 &&
              KERNEL_FIELD_CLUSTER_X == 37 && KERNEL_FIELD_LOCAL_MEMORY_TOTAL == 41);
static_assert(MEMCPY_FIELD_COPY_KIND == 1 && MEMCPY_FIELD_DST_KIND == 3 &&
              MEMCPY_FIELD_BYTES == 5 && MEMCPY_FIELD_START == 6 && MEMCPY_FIELD_DEVICE_ID == 8 &&
              MEMCPY_FIELD_STREAM_ID == 10 && MEMCPY_FIELD_CORRELATION_ID == 11 &&
              MEMCPY_FIELD_GRAPH_NODE_ID == 12 && MEMCPY_FIELD_GRAPH_ID == 13 &&
              MEMCPY_FIELD_COPY_COUNT == 17);
static_assert(MEMSET_FIELD_VALUE == 1 && MEMSET_FIELD_BYTES == 2 && MEMSET_FIELD_START == 3 &&
              MEMSET_FIELD_DEVICE_ID == 5 && MEMSET_FIELD_STREAM_ID == 7 &&
              MEMSET_FIELD_CORRELATION_ID == 8 && MEMSET_FIELD_MEMORY_KIND == 10 &&
              MEMSET_FIELD_GRAPH_NODE_ID == 11 && MEMSET_FIELD_GRAPH_ID == 12);
#endif

template <std::size_t count>
constexpr std::size_t count_of(const Field (&)[count]) {
  return count;
}

template <std::size_t count>
struct Numbers {
  int numbers[count];
};
template <std::size_t count>
constexpr Numbers<count> numbers_of(const Field (&fields)[count]) {
  Numbers<count> found{};
  for (std::size_t i = 0; i < count; ++i) found.numbers[i] = fields[i].number;
  return found;
}
template <std::size_t count>
constexpr v2::KindConfig config_of(const Numbers<count>& selected) {
  return {sizeof(v2::KindConfig), {sizeof(v2::Selection), count, selected.numbers}, nullptr};
}
constexpr auto kKernelNumbers = numbers_of(kKernelFields);
constexpr auto kCopyNumbers = numbers_of(kCopyFields);
constexpr auto kFillNumbers = numbers_of(kFillFields);
constinit v2::KindConfig g_kernel_config = config_of(kKernelNumbers);
constinit v2::KindConfig g_copy_config = config_of(kCopyNumbers);
constinit v2::KindConfig g_fill_config = config_of(kFillNumbers);

// Reads records of one kind. Each library says where the fields are.
template <class Record, std::size_t count>
class KindReader {
 public:
  KindReader(const v2::BufferInfo* info, CUpti_ActivityKind kind, const Field (&fields)[count])
      : fields_(fields) {
    const auto number = static_cast<std::size_t>(kind);
    if (info != nullptr && info->places != nullptr && number < info->kinds)
      places_ = info->places[number];
    is_expected_ = places_ == nullptr || is_expected(*places_);
  }

  const Record& operator()(const CUpti_Activity* record) {
    if (is_expected_) [[likely]]
      return *reinterpret_cast<const Record*>(record);
    gather(*places_, reinterpret_cast<const std::uint8_t*>(record));
    return copy_;
  }

 private:
  bool is_expected(const v2::RecordPlaces& places) const {
    if (places.count != count || places.bytes != sizeof(Record)) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (places.fields[i].field != fields_[i].number ||
          places.fields[i].offset != fields_[i].offset ||
          places.fields[i].bytes != fields_[i].bytes)
        return false;
    return true;
  }
  void gather(const v2::RecordPlaces& places, const std::uint8_t* record) {
    copy_ = {};
    for (std::size_t i = 0; i < std::min(places.count, count); ++i)
      std::memcpy(reinterpret_cast<std::uint8_t*>(&copy_) + fields_[i].offset,
                  record + places.fields[i].offset,
                  std::min<std::size_t>(fields_[i].bytes, places.fields[i].bytes));
  }

  const Field (&fields_)[count];
  const v2::RecordPlaces* places_ = nullptr;
  bool is_expected_ = true;
  Record copy_{};
};

// Turns records into CUPTI's own structs and writes them. What is not selected stays 0.
class SelectedWriter {
 public:
  explicit SelectedWriter(const v2::BufferInfo* info)
      : kernels_(info, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, kKernelFields),
        copies_(info, CUPTI_ACTIVITY_KIND_MEMCPY, kCopyFields),
        fills_(info, CUPTI_ACTIVITY_KIND_MEMSET, kFillFields) {}

  void write(const CUpti_Activity* record) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        set(kernels_(record));
        return pass_on(kernel_);
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        set(copies_(record));
        return pass_on(copy_);
      case CUPTI_ACTIVITY_KIND_MEMSET:
        set(fills_(record));
        return pass_on(fill_);
      default:
        return write_activity(record);
    }
  }

 private:
  template <class Record>
  static void set_common(Record& to, const auto& from) {
    to.kind = from.kind;
    to.deviceId = from.device;
    to.contextId = from.context;
    to.streamId = from.stream;
    to.correlationId = static_cast<std::uint32_t>(from.correlation);
    to.start = from.start;
    to.end = from.end;
    to.graphNodeId = from.graph_node;
    to.graphId = from.graph;
  }
  void set(const Kernel& k) {
    set_common(kernel_, k);
    kernel_.gridId = k.grid_id;
    kernel_.name = k.name;
    kernel_.localMemoryTotal_v2 = k.local_memory;
    kernel_.gridX = k.grid[0];
    kernel_.gridY = k.grid[1];
    kernel_.gridZ = k.grid[2];
    kernel_.blockX = k.block[0];
    kernel_.blockY = k.block[1];
    kernel_.blockZ = k.block[2];
    kernel_.staticSharedMemory = k.static_shared;
    kernel_.dynamicSharedMemory = k.dynamic_shared;
    kernel_.localMemoryPerThread = k.local_memory_per_thread;
    kernel_.sharedMemoryExecuted = k.shared_executed;
    kernel_.shmemLimitConfig = static_cast<CUpti_FuncShmemLimitConfig>(k.shared_limit);
    kernel_.clusterX = k.cluster[0];
    kernel_.clusterY = k.cluster[1];
    kernel_.clusterZ = k.cluster[2];
    kernel_.registersPerThread = k.registers;
    kernel_.cacheConfig.config.executed = k.cache_config & 0xf;
    kernel_.launchType = k.launch_type;
  }
  void set(const Copy& c) {
    set_common(copy_, c);
    copy_.bytes = c.bytes;
    copy_.copyCount = c.count;
    copy_.copyKind = c.copy_kind;
    copy_.srcKind = c.source;
    copy_.dstKind = c.target;
  }
  void set(const Fill& f) {
    set_common(fill_, f);
    fill_.bytes = f.bytes;
    fill_.value = f.value;
    fill_.memoryKind = f.memory_kind;
  }
  template <class Record>
  void pass_on(const Record& record) const {
    const auto* activity = reinterpret_cast<const CUpti_Activity*>(&record);
    if (!makes_launches_ || !add_graph_node(activity)) write_activity(activity);
  }

  const bool makes_launches_ = are_launches_made();
  KindReader<Kernel, count_of(kKernelFields)> kernels_;
  KindReader<Copy, count_of(kCopyFields)> copies_;
  KindReader<Fill, count_of(kFillFields)> fills_;
  CUpti_ActivityKernel9 kernel_{};
  CUpti_ActivityMemcpy6 copy_{};
  CUpti_ActivityMemset4 fill_{};
};

}  // namespace

const v2::KindConfig* selection_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return &g_kernel_config;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return &g_copy_config;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return &g_fill_config;
    default:
      return nullptr;
  }
}

CUptiResult write_selected(CUpti_SubscriberHandle subscriber, std::uint8_t* memory,
                           std::size_t valid, const v2::BufferInfo* info) {
  SelectedWriter writer(info);
  CUpti_Activity* record = nullptr;
  CUptiResult result;
  while ((result = g_scoped_api.cuptiActivityGetNextRecord_v2(subscriber, memory, valid,
                                                              &record)) == CUPTI_SUCCESS)
    writer.write(record);
  if (are_launches_made()) finish_graph_launches(false);
  return result;
}

}  // namespace prof::cuda
