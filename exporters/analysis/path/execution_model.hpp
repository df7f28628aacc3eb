// The execution of a report as rows of work and what each piece of it waited for: threads with
// their calls, streams with their GPU operations, and edges between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"
#include "exporters/analysis/path/gpu_events.hpp"
#include "exporters/analysis/path/host_calls.hpp"

namespace prof::path {

// A point of the execution: a thread or an operation at a time.
struct Place {
  bool is_on_gpu = false;
  std::uint32_t index = kNowhere;  // of the thread, or of the operation
  std::int64_t time = 0;           // ns
};

class ExecutionModel {
 public:
  static base::Result<ExecutionModel> read(const report::ReportReader& reader);

  const HostCalls& calls() const { return calls_; }
  const insight::GpuWork& work() const { return work_; }
  std::size_t operations() const { return starts_.size(); }
  std::int64_t start_of(std::uint32_t operation) const { return starts_[operation]; }
  std::int64_t end_of(std::uint32_t operation) const { return ends_[operation]; }

  // Edges of an operation, or kNowhere.
  std::uint32_t launch_of(std::uint32_t operation) const { return launches_[operation]; }
  // The operation that ended last before it on its stream.
  std::uint32_t previous_of(std::uint32_t operation) const { return previous_[operation]; }
  // Operations of other streams, which its stream waited for.
  struct Await {
    std::uint32_t operation;
    std::uint32_t awaited;
  };
  std::span<const Await> awaits_of(std::uint32_t operation) const;

  // What the end of a call waited for.
  struct CallWait {
    enum class Kind : std::uint8_t {
      kNothing,
      kEnd,   // of an operation
      kStart  // of an operation: the launch queue was full
    };
    Kind kind = Kind::kNothing;
    std::uint32_t operation = kNowhere;
  };
  CallWait wait_of(std::uint32_t call) const;
  // Operations of other streams that calls waited for, too, and that ended sooner, sorted by call.
  // Those that an earlier call of the thread waited for are left out.
  struct SoonerEnd {
    std::uint32_t call;
    std::uint32_t operation;
  };
  std::span<const SoonerEnd> sooner_ends() const { return sooner_ends_; }

  // Returns the place that ended a call's wait for another thread or process, at `time`.
  std::optional<Place> waker_of(std::uint32_t call, std::int64_t time) const;
  // Returns the place that made a thread, if the report has it.
  std::optional<Place> maker_of(std::uint32_t thread) const;

  // The time from the first event to the last one: of GPU operations and of the threads with CUDA
  // calls, or of main threads in a report without CUDA calls. Cut at the filter's limits.
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }
  // The threads that decide on that time: those that launch GPU work, or main threads.
  std::span<const std::uint32_t> working_threads() const { return working_; }
  // Where the execution was at the end of that time.
  Place last_place() const { return last_; }
  // True if that is the end of an NVTX range, because the filter ends with it.
  bool ends_with_range() const { return ends_with_range_; }

  // Streams as (device, stream): the operations of each, in the order of start.
  struct Stream {
    std::uint32_t device;  // index into GpuWork::devices()
    std::int32_t number;
    std::vector<std::uint32_t> operations;
  };
  std::span<const Stream> streams() const { return streams_; }
  std::uint32_t stream_of(std::uint32_t operation) const { return stream_numbers_[operation]; }

 private:
  ExecutionModel(HostCalls calls, insight::GpuWork work)
      : calls_(std::move(calls)), work_(std::move(work)) {}

  void add_operations();
  void add_stream_waits(const GpuEvents& events);
  void add_call_waits(const GpuEvents& events);
  void add_queue_waits();
  void choose_threads();
  base::Status find_limits(const report::ReportReader& reader);
  std::optional<Place> end_of_range(const report::ReportReader& reader, base::Status& read) const;
  std::uint32_t last_launched(const Stream& stream, std::int64_t time) const;
  // `waited_for` has the operation of each stream that earlier calls of the thread waited for.
  std::uint32_t awaited_by(std::uint32_t call, const StreamMoment& moment,
                           std::vector<std::uint32_t>& waited_for);
  std::int64_t working_time(std::uint32_t thread, std::int64_t start, std::int64_t end) const;
  std::optional<Place> busiest_peer(std::uint32_t call, std::int64_t time) const;
  std::optional<Place> last_ended_thread(std::uint32_t call, std::int64_t time) const;

  HostCalls calls_;
  insight::GpuWork work_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> ends_;
  std::vector<std::uint32_t> launches_;
  std::vector<std::uint32_t> previous_;
  std::vector<std::uint32_t> stream_numbers_;
  std::vector<Stream> streams_;
  std::vector<Await> awaits_;  // sorted by operation
  struct Wait {
    std::uint32_t call;
    CallWait wait;
  };
  std::vector<Wait> waits_;                   // sorted by call
  std::vector<SoonerEnd> sooner_ends_;        // sorted by call
  std::vector<std::uint32_t> working_;        // threads that decide on begin_ and end_
  std::vector<std::uint32_t> thread_makers_;  // calls that make threads, sorted by start
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  Place last_;
  bool ends_with_range_ = false;
};

}  // namespace prof::path
