// Reads the reports of a job in the background.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exporters/analysis/events/graph_nodes.hpp"
#include "exporters/viewer/answers/source/source_folders.hpp"
#include "exporters/viewer/run/run_state.hpp"

namespace prof::view {

struct RunInput {
  std::string name;                   // of the folder
  std::vector<std::string> reports;   // paths of files that can be reports
  std::vector<std::string> left_out;  // a line for each file that is known to be none
  events::RangeOf range_of = events::RangeOf::kBoth;
  SourceFolders source_folders = {};
};

// May be used by several threads.
class RunModel {
 public:
  explicit RunModel(RunInput input);
  ~RunModel();
  RunModel(const RunModel&) = delete;
  RunModel& operator=(const RunModel&) = delete;

  const std::string& name() const { return input_.name; }
  std::shared_ptr<const RunState> state() const;
  // Waits until everything is known.
  void wait() const;

 private:
  void run();
  std::shared_ptr<const RunRanks> read_ranks() const;
  void add_collectives(const RunRanks& ranks);
  void add_path(const RunRanks& ranks);
  void publish(RunState state);

  const RunInput input_;
  mutable std::mutex mutex_;  // protects state_
  mutable std::condition_variable changed_;
  std::shared_ptr<const RunState> state_ = std::make_shared<RunState>();
  std::thread thread_;  // the last member, because it uses the others
};

}  // namespace prof::view
