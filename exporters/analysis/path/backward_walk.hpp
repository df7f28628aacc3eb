// The critical path: the chain of work and waits that decided when the execution ended. It is found
// backwards, from the end to the start.
#pragma once

#include <cstdint>
#include <vector>

#include "exporters/analysis/path/execution_model.hpp"

namespace prof::path {

enum class SegmentKind : std::uint8_t {
  kKernel,
  kCommunication,  // a kernel of NCCL or a similar library
  kCopy,           // copies and fills
  kGraph,          // a CUDA graph that was traced as a whole
  kGpuQueue,       // from the end of the operation before to the start of an operation
  kLaunchLatency,  // from the end of a launch to the start of its operation
  kCudaCall,
  kOsCall,
  kMpiCall,
  kTorchCall,
  kWakeup,  // a thread returns from a wait that was over: from the end of what it waited for
  kCpu,     // a thread is in no call that was recorded
};
inline constexpr std::size_t kSegmentKinds = 12;
SegmentKind kind_of(CallRole role);
const char* name_of(SegmentKind kind);  // "kernel", "CUDA call"

inline bool is_on_gpu(SegmentKind kind) { return kind <= SegmentKind::kLaunchLatency; }

struct Segment {
  std::int64_t start;  // ns
  std::int64_t end;
  SegmentKind kind;
  // The operation, or the call. Of kCpu the call before; kNowhere if the thread has none.
  std::uint32_t item;
  std::uint32_t thread;  // of segments that are not on a GPU: index into HostCalls::threads()

  std::int64_t duration() const { return end - start; }
};

// Walks backwards through one report.
class BackwardWalk {
 public:
  BackwardWalk(const ExecutionModel& model, std::vector<Segment>& path)
      : model_(model), path_(path) {}

  // Adds the segments from `start` to the end of a place to the path, the last one first. Each ends
  // where the next one begins, so their sum is the time between both, to the nanosecond.
  void run(Place place, std::int64_t start);

  // Adds the segments of one step, and returns where it leads. The walk ends where the time is
  // `start` or before.
  Place step(const Place& place, std::int64_t start);

 private:
  Place step_on_gpu(const Place& place);
  Place step_on_thread(const Place& place, std::int64_t start);
  Place step_in_call(const Place& place, std::uint32_t call);
  Place before_operation(std::uint32_t operation, std::int64_t time);
  void add(SegmentKind kind, std::int64_t start, std::int64_t end, std::uint32_t item,
           std::uint32_t thread = kNowhere);

  const ExecutionModel& model_;
  std::vector<Segment>& path_;
  std::int64_t begin_ = 0;  // segments are cut here
};

// Returns the critical path of one report, the last segment first.
std::vector<Segment> critical_path(const ExecutionModel& model);

}  // namespace prof::path
