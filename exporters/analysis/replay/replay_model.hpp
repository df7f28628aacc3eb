// What each piece of a recorded execution took, and what it waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/path/execution_model.hpp"
#include "exporters/analysis/replay/slowdowns.hpp"

namespace prof::replay {

using path::kNowhere;

// What the pieces of an execution take, in ns.
struct Costs {
  // By call.
  std::vector<std::int64_t> gaps;     // of the thread, before the call
  std::vector<std::int64_t> calls;    // without waits
  std::vector<std::int64_t> returns;  // from the end of what the call waits for to its own end
  // By operation.
  std::vector<std::int64_t> operations;  // its duration
  std::vector<std::int64_t> latencies;   // from its launch to its start
  std::vector<std::int64_t> delays;      // from the end of the operations before it to its start
  // By call: true if it does not wait for what it waited for. Empty: all wait.
  std::vector<bool> free_waits = {};
};

// Returns the part of a time that has passed when a piece takes another time: `now`, not
// `measured`.
std::int64_t scaled(std::int64_t part, std::int64_t now, std::int64_t measured);

// What each piece of a report's execution waits for.
class ReplayModel {
 public:
  // `model` must outlive this object.
  explicit ReplayModel(const path::ExecutionModel& model);

  const path::ExecutionModel& execution() const { return *model_; }
  const Costs& measured() const { return measured_; }
  const Slowdowns& slowdowns() const { return slowdowns_; }
  std::int64_t elapsed() const { return model_->end() - model_->begin(); }

  // True if the execution is cut where it waits for others: in a communication kernel or a call of
  // MPI that belongs to no meeting. Then others decide when that time comes.
  bool waits_at_end() const;

  // True if the operation started after its launching call had returned.
  bool is_after_launch(std::uint32_t operation) const;

  // True if the call waited for the end of an operation, or for another thread.
  bool waits_for_operation(std::uint32_t call) const { return waits_[call] == Wait::kEnd; }
  bool waits_for_thread(std::uint32_t call) const { return waits_[call] == Wait::kThread; }

  // Says that an operation or a call is a member of meetings, and how long it takes when all are
  // ready. Members are added before the first replay, and then order_points() is called.
  void add_operation(std::uint32_t operation, std::uint32_t member, std::int64_t transfer);
  void add_call(std::uint32_t call, std::uint32_t member, std::int64_t transfer);
  void order_points();

 private:
  friend class Replay;

  // A point of a thread: before its first call, or a time since the start or the end of a call.
  struct ThreadPoint {
    std::uint32_t call = kNowhere;
    bool is_inside = false;
    std::int64_t offset = 0;  // ns
  };
  enum class Wait : std::uint8_t { kNothing, kEnd, kStart, kThread };
  enum class PointKind : std::uint8_t { kCallEnd, kOperationEnd, kOperationStart, kCallStart };
  struct Point {
    std::int64_t time;
    std::uint32_t index;
    PointKind kind;
  };

  void add_calls();
  void add_call_wait(std::uint32_t call, bool has_waker);
  void add_queue_waits();
  void add_origins();
  void add_operations();
  std::int64_t queue_ready(std::uint32_t operation) const;
  std::int64_t launch_ready(std::uint32_t operation) const;
  ThreadPoint point_of(const path::Place& place) const;
  void find_end();
  void find_last_threads();
  bool is_gpu_behind() const;
  std::int64_t place_of(std::uint32_t operation, std::int64_t start, std::int64_t end) const;
  void add_points();

  const path::ExecutionModel* model_;
  Slowdowns slowdowns_;
  Costs measured_;
  std::vector<Wait> waits_;                                // by call
  std::vector<std::uint32_t> awaited_;                     // by call: an operation, or in wakers_
  std::vector<bool> has_sooner_ends_;                      // by call
  std::vector<ThreadPoint> wakers_;                        // what threads waited for
  std::unordered_map<std::uint32_t, ThreadPoint> firsts_;  // of first calls of threads
  std::vector<bool> is_first_;                             // by call
  std::unordered_map<std::uint32_t, std::uint32_t> operation_members_;
  std::unordered_map<std::uint32_t, std::uint32_t> call_members_;
  std::vector<Point> points_;        // in the order of time
  bool ends_with_last_ = false;      // the execution ends where its last event does
  bool ends_with_launched_ = false;  // operations without a known launch do not decide on the end
  bool ends_on_gpu_ = false;         // it is cut where the GPU has work that was launched before
  std::vector<ThreadPoint> last_points_;  // of threads, where it is cut otherwise
  std::int64_t after_last_ = 0;  // ns from the last operation or point to the end, where it is cut
};

}  // namespace prof::replay
