// Begins and ends the recordings of a job's ranks through files in a folder that all of them see.
// No daemon and no connection is needed.
//
// FOLDER/control has one line, the last order: "start ID TIME", "start ID 0 FIRST COUNT", "stop ID
// TIME" or "where ID 0". TIME is in ns since 1970; 0 means at once. FIRST and COUNT are steps (prof
// start --at-step). Each collector has a file FOLDER/control.d/HOST.PID with one line: what it does
// ("waiting", "accepted", "started", "stopped"), and the ID of the order that it has seen. It
// answers "where" with "steps BEGUN PACE ID" or "uncounted ID", and "start" with "passed BEGUN ID"
// if the step has passed. BEGUN is the number of steps that have begun, PACE those of a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/session/control/step_pace.hpp"
#include "collector/session/options/session_options.hpp"
#include "common/base/result.hpp"

namespace prof::session {

enum class OrderKind { kStart, kStop, kWhere };

struct JobOrder {
  OrderKind kind = OrderKind::kStart;
  std::string id{};
  std::int64_t time = 0;  // ns since 1970; 0: at once
  std::optional<StepRequest> steps{};
};

// Creates the folder of a job, in which reports may lie, too. Other collectors may create it at the
// same time.
base::Status create_job_folder(const std::string& folder);

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

  // Returns an order to start or stop whose time has come, once. An order that was given before
  // this collector began counts, too. `pace` is that of the steps; null: they are not counted.
  std::optional<JobOrder> poll(Clock::time_point now, const StepPace* pace);
  // Tells what has been done.
  void acknowledge(const std::string& state, const JobOrder& order) const;

 private:
  JobControl(std::string folder, std::string own);
  void look(const StepPace* pace);
  std::string answer_to(const JobOrder& order, const StepPace* pace) const;

  std::string folder_;
  std::string own_;  // path of the collector's file; empty: moved from
  Clock::time_point next_look_;
  std::string seen_;  // id of the last order
  std::optional<JobOrder> pending_;
};

// The other side: gives an order to all collectors. Returns the order with its id.
base::Result<JobOrder> give_order(const std::string& folder, OrderKind kind, std::int64_t time,
                                  const std::optional<StepRequest>& steps = {});

// How many collectors have a file, and which of them have not seen the order. Those that answer
// about their steps are listed.
struct JobAnswers {
  struct Steps {
    std::string collector;
    bool counts = true;
    bool has_passed = false;  // the first step of the order
    std::uint64_t begun = 0;  // steps that have begun
    double per_second = 0;
  };
  std::size_t collectors = 0;
  std::vector<std::string> silent{};
  std::vector<Steps> steps{};
};
JobAnswers answers_to(const std::string& folder, const JobOrder& order);

}  // namespace prof::session
