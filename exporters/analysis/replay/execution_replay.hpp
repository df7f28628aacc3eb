// Runs a recorded execution forward again: what each piece of it took stays or is changed, and what
// it waited for decides when it begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/path/execution_model.hpp"

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
};

// Operations or calls that wait for other reports: a collective operation waits until all ranks
// came. They are numbered within a report.
class Meetings {
 public:
  virtual ~Meetings() = default;
  // The member came, at a time of its report.
  virtual void arrive(std::uint32_t member, std::int64_t time) = 0;
  // Returns when all are ready for whom the member waits, or kNobody. Nothing: that is not known
  // yet, because others have not come.
  virtual std::optional<std::int64_t> ready_for(std::uint32_t member) = 0;
  static constexpr std::int64_t kNobody = INT64_MIN / 2;
};

// What each piece of a report's execution waits for.
class ReplayModel {
 public:
  // `model` must outlive this object.
  explicit ReplayModel(const path::ExecutionModel& model);

  const path::ExecutionModel& execution() const { return *model_; }
  const Costs& measured() const { return measured_; }
  std::int64_t elapsed() const { return model_->end() - model_->begin(); }

  // True if the operation started after its launching call had returned.
  bool is_after_launch(std::uint32_t operation) const;

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
  void add_points();

  const path::ExecutionModel* model_;
  Costs measured_;
  std::vector<Wait> waits_;                                // by call
  std::vector<std::uint32_t> awaited_;                     // by call: an operation, or in wakers_
  std::vector<bool> has_sooner_ends_;                      // by call
  std::vector<ThreadPoint> wakers_;                        // what threads waited for
  std::unordered_map<std::uint32_t, ThreadPoint> firsts_;  // of first calls of threads
  std::unordered_map<std::uint32_t, std::uint32_t> operation_members_;
  std::unordered_map<std::uint32_t, std::uint32_t> call_members_;
  std::vector<Point> points_;    // in the order of time
  bool ends_with_last_ = false;  // the execution ends where its last event does
};

// One run. It may be stopped by meetings, and goes on where it was.
class Replay {
 public:
  Replay(const ReplayModel& model, const Costs& costs, Meetings* meetings = nullptr);

  // Returns true when it is done, and false while a member of a meeting waits.
  bool advance();
  // Lets the member that waits end as if all others had come.
  void skip();
  std::size_t passed() const { return next_; }  // points that are done

  // Returns when the execution ends. Its begin stays.
  std::int64_t end() const;
  std::int64_t elapsed() const { return end() - model_.execution().begin(); }
  std::int64_t start_of_call(std::uint32_t call) const;
  std::int64_t end_of_call(std::uint32_t call) const { return call_ends_[call]; }
  std::int64_t end_of_operation(std::uint32_t operation) const;

 private:
  bool pass(const ReplayModel::Point& point);
  void start_operation(std::uint32_t operation);
  bool end_operation(std::uint32_t operation);
  bool end_call(std::uint32_t call);
  std::int64_t last_end(std::uint32_t call, std::uint32_t awaited) const;
  std::optional<std::int64_t> ready_for(std::uint32_t member);
  std::int64_t time_of(const ReplayModel::ThreadPoint& point) const;

  const ReplayModel& model_;
  const Costs& costs_;
  Meetings* meetings_;
  bool skips_ = false;
  std::size_t next_ = 0;
  std::vector<std::int64_t> call_ends_;
  std::vector<std::int64_t> starts_;  // of operations
  std::vector<std::int64_t> ends_;
};

// Returns the elapsed time of a report with these costs.
std::int64_t replayed_time(const ReplayModel& model, const Costs& costs);

}  // namespace prof::replay
