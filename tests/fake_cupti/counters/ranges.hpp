// The fake's range profiler: counters of single launches, with replay.
#pragma once

#include <cupti_profiler_host.h>

#include <cstddef>
#include <cstdint>
#include <functional>

struct CUpti_Profiler_Host_Object {
  std::size_t metrics = 0;
  bool has_throughput = false;
  bool is_range = false;  // of the range profiler, not of PM sampling
};

namespace fake {

// Bits of a configuration image, beside the number of its metrics: it is one of the range profiler;
// it has throughputs.
inline constexpr std::uint64_t kRangeImage = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kThroughputs = std::uint64_t{1} << 33;

std::uint64_t image_of(const CUpti_Profiler_Host_Object& host);
// A pass counts 32 metrics. Throughputs take two passes more.
std::size_t passes_of(std::uint64_t image);

// False if one of the names has "nonsense" in it.
bool can_count(const char** names, std::size_t number);
bool has_throughput(const char** names, std::size_t number);

// Fills the values of a range. gpu__time_duration.sum: 1,000 ns for each block;
// smsp__inst_executed.sum: 100 for each thread; sm__cycles_elapsed.max: the number of the process's
// last launch that was counted; sm__cycles_active.max: how often the counters were started before
// the first one; others: how often the kernel ran for the range. All are -1 if a pass was not made,
// or if the range is of other metrics.
void evaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params& parameters);

// The memory that replays save and restore.
void set_device_memory(void* memory, std::size_t bytes);

void* device_memory();
std::size_t device_memory_size();

// True between Start and Stop.
bool is_counting();

// What cuLaunchKernel of the fake driver runs on this thread.
void set_kernel(std::function<void()> kernel);
void run_kernel_again();

// Runs a kernel between the entry and the exit of its launch: once, or once for each pass with the
// memory restored before. `is_graph`: the counters keep nodes of graphs from running.
void run_kernel(std::uint64_t blocks, std::uint64_t threads, bool is_graph,
                const std::function<void()>& kernel);

}  // namespace fake
