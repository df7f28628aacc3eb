// Runs a recorded execution forward again: what each piece of it took stays or is changed, and what
// it waited for decides when it begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exporters/analysis/replay/replay_model.hpp"

namespace prof::replay {

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

// One run. It may be stopped by meetings, and goes on where it was.
class Replay {
 public:
  Replay(const ReplayModel& model, const Costs& costs, Meetings* meetings = nullptr);

  // Returns true when it is done, and false while a member of a meeting waits.
  bool advance();
  // Lets the member that waits end as if all others had come.
  void skip();
  std::size_t passed() const { return next_; }  // points that are done
  // True if what waits is only the duration of an operation, which depends on a meeting.
  bool waits_for_duration() const;

  // Returns when the execution ends. Its begin stays.
  std::int64_t end() const;
  std::int64_t elapsed() const { return end() - model_.execution().begin(); }
  std::int64_t start_of_call(std::uint32_t call) const;
  std::int64_t end_of_call(std::uint32_t call) const { return call_ends_[call]; }
  std::int64_t end_of_operation(std::uint32_t operation) const;

 private:
  bool pass(const ReplayModel::Point& point);
  bool start_operation(std::uint32_t operation);
  std::optional<std::int64_t> duration(std::uint32_t operation, std::int64_t start);
  std::int64_t end_after(std::int64_t start, std::int64_t takes, std::int64_t measured) const;
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
  std::vector<std::vector<std::uint32_t>> communication_;  // that runs, by device
};

// Returns the elapsed time of a report with these costs.
std::int64_t replayed_time(const ReplayModel& model, const Costs& costs);

}  // namespace prof::replay
