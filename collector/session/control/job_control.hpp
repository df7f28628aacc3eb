// Begins and ends the recordings of a job's ranks through files in a folder that all of them see.
// No daemon and no connection is needed.
//
// FOLDER/control has one line, the last order: "start ID TIME" or "stop ID TIME". TIME is in ns
// since 1970; 0 means at once. Each collector has a file FOLDER/control.d/HOST.PID with one line:
// what it does ("waiting", "accepted", "started", "stopped"), and the ID of the order that it has
// seen.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace prof::session {

struct JobOrder {
  bool starts = false;
  std::string id{};
  std::int64_t time = 0;  // ns since 1970; 0: at once
};

// The collector's side.
class JobControl {
 public:
  using Clock = std::chrono::steady_clock;

  // Thousands of collectors look at the file, each at another moment of the second.
  static constexpr auto kInterval = std::chrono::milliseconds(1000);

  // Creates the collector's file. Fails if that is not possible.
  static base::Result<JobControl> create(const std::string& folder);
  JobControl(JobControl&& other) noexcept;
  JobControl& operator=(JobControl&&) = delete;
  // Removes the collector's file.
  ~JobControl();

  // Returns an order whose time has come, once. An order that was given before this collector began
  // counts, too.
  std::optional<JobOrder> poll(Clock::time_point now);
  // Tells what has been done.
  void acknowledge(const std::string& state, const JobOrder& order) const;

 private:
  JobControl(std::string folder, std::string own);
  void look();

  std::string folder_;
  std::string own_;  // path of the collector's file; empty: moved from
  Clock::time_point next_look_;
  std::string seen_;  // id of the last order
  std::optional<JobOrder> pending_;
};

// The other side: gives an order to all collectors. Returns the order with its id.
base::Result<JobOrder> give_order(const std::string& folder, bool starts, std::int64_t time);

// How many collectors have a file, and which of them have not seen the order.
struct JobAnswers {
  std::size_t collectors = 0;
  std::vector<std::string> silent{};
};
JobAnswers answers_to(const std::string& folder, const JobOrder& order);

}  // namespace prof::session
