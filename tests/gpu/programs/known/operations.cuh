// The CUDA operations of known_answer, each executed and counted in one place.
#pragma once
#include <atomic>
#include <cstring>
#include <numeric>

#include "tally.cuh"

namespace known {

using tally::Work;

constexpr int kCount = 1 << 18;
constexpr size_t kBytes = kCount * sizeof(int);

struct Counters {
  long long stream_syncs = 0, device_syncs = 0, event_syncs = 0, stream_waits = 0;
  long long event_records = 0, streams = 0, graph_launches = 0, chevrons = 0;
};

inline Counters g_counted;  // under tally::g_mutex, because threads count too
inline std::atomic<int> g_host_functions{0};
inline std::vector<std::string> g_threads, g_graphs;
inline tally::Counts g_captured;  // calls that made nodes of a graph and no work of their own
inline tally::Sums g_allocated;   // by kind; all of it is freed again

struct Shape {
  dim3 grid, block;
  size_t shared = 0;
};

inline Shape shape_for(int count) { return {dim3((count + 255) / 256), dim3(256)}; }

struct Data {
  int* device = nullptr;
  int* other = nullptr;
  int* pinned = nullptr;
  int* pinned_other = nullptr;
  std::vector<int> pageable;
  cudaStream_t ordinary = nullptr, non_blocking = nullptr, urgent = nullptr;
};

inline void count(long long Counters::*member) {
  const std::lock_guard lock(tally::g_mutex);
  ++(g_counted.*member);
}

inline void note_kernel(Work& work, const char* name, const void* kernel, const Shape& shape) {
  static std::map<const void*, std::string> symbols;
  static std::mutex symbols_mutex;
  const std::lock_guard symbols_lock(symbols_mutex);
  auto found = symbols.find(kernel);
  if (found == symbols.end()) {
    const char* symbol = nullptr;
    CALL(cudaFuncGetName, &symbol, kernel);
    found = symbols.emplace(kernel, symbol).first;
  }
  char text[256];
  std::snprintf(text, sizeof text, "%s|%u,%u,%u|%u,%u,%u|%zu", name, shape.grid.x, shape.grid.y,
                shape.grid.z, shape.block.x, shape.block.y, shape.block.z, shape.shared);
  const std::lock_guard lock(tally::g_mutex);
  ++work.kernels[name];
  ++work.mangled[found->second];
  ++work.shapes[text];
}

// <<<>>> is counted as cudaLaunchKernel, as nsys shows it; nvcc 13 emits __cudaLaunchKernel for it.
template <typename... Parameters, typename... Arguments>
void launch(Work& work, const char* name, void (*kernel)(Parameters...), const Shape& shape,
            cudaStream_t stream, Arguments... arguments) {
  kernel<<<shape.grid, shape.block, shape.shared, stream>>>(arguments...);
  tally::called("cudaLaunchKernel");
  CALL(cudaGetLastError);
  count(&Counters::chevrons);
  note_kernel(work, name, reinterpret_cast<const void*>(kernel), shape);
}

inline void note_copy(Work& work, cudaMemcpyKind direction, const char* kinds, size_t bytes) {
  static constexpr const char* kNames[] = {"HtoH", "HtoD", "DtoH", "DtoD"};
  const std::string name = kNames[direction];
  const std::lock_guard lock(tally::g_mutex);
  for (tally::Sum* sum : {&work.memcpy[name], &work.memcpy_kinds[name + ":" + kinds]}) {
    ++sum->count;
    sum->bytes += static_cast<long long>(bytes);
  }
}

inline void copy(void* to, const void* from, size_t bytes, cudaMemcpyKind direction,
                 const char* kinds) {
  CALL(cudaMemcpy, to, from, bytes, direction);
  note_copy(tally::g_direct, direction, kinds, bytes);
}

inline void copy_async(Work& work, void* to, const void* from, size_t bytes,
                       cudaMemcpyKind direction, const char* kinds, cudaStream_t stream) {
  CALL(cudaMemcpyAsync, to, from, bytes, direction, stream);
  note_copy(work, direction, kinds, bytes);
}

inline void note_memset(Work& work, int value, size_t bytes) {
  const std::lock_guard lock(tally::g_mutex);
  tally::Sum& sum = work.memset[std::to_string(value)];
  ++sum.count;
  sum.bytes += static_cast<long long>(bytes);
}

inline void note_allocation(const char* kind, size_t bytes) {
  const std::lock_guard lock(tally::g_mutex);
  ++g_allocated[kind].count;
  g_allocated[kind].bytes += static_cast<long long>(bytes);
}

inline void synchronize(cudaStream_t stream) {
  CALL(cudaStreamSynchronize, stream);
  count(&Counters::stream_syncs);
}

inline void synchronize_device() {
  CALL(cudaDeviceSynchronize);
  count(&Counters::device_syncs);
}

inline void record(cudaEvent_t event, cudaStream_t stream) {
  CALL(cudaEventRecord, event, stream);
  count(&Counters::event_records);
}

// Reads `numbers` of them back through pinned memory and compares each with want(index).
template <typename Want>
void verify(Data& data, const int* device, int numbers, Want want) {
  copy(data.pinned, device, static_cast<size_t>(numbers) * sizeof(int), cudaMemcpyDeviceToHost,
       "Device>Pinned");
  for (int i = 0; i < numbers; ++i) REQUIRE(data.pinned[i] == want(i));
}

}  // namespace known
