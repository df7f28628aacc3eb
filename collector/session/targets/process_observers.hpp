// The parts of the collector that read the memory of a session's processes: the unwinder, which
// needs their mappings, and the sampler of their Python threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "collector/python/sampler.hpp"
#include "collector/session/admission/live_processes.hpp"
#include "collector/session/chains/event_call_chains.hpp"
#include "collector/session/session_context.hpp"

namespace prof::session {

class ProcessObservers {
 public:
  // Reports an obstacle if stacks cannot be copied. The references outlive the object.
  ProcessObservers(const SessionContext& session, wire::ArenaHeader& arena);

  void start();
  void stop();
  // Accepts samples that processes take of themselves.
  void enable_samples();

  // Adds a process image that has joined. `parent` is the image that it was forked from, or 0.
  void add(const LiveProcess& process, std::uint32_t parent);
  // Handles that the image has ended. Its last records have not been drained yet.
  void end(std::uint32_t serial);
  void forget(std::uint32_t serial);

  // Writes the samples of Python threads that were taken since the last call.
  void drain_python_samples();
  void report_python_sampling();

  // True if processes copy the stacks of calls.
  bool copies_stacks() const { return copies_stacks_; }
  EventCallChains* call_chains() { return call_chains_.get(); }  // null: no stacks are copied

 private:
  void create_call_chains();
  void report_obstacle(bool chosen, const std::string& text);

  const SessionContext& session_;
  wire::ArenaHeader& arena_;
  std::unique_ptr<EventCallChains> call_chains_;
  bool copies_stacks_ = false;
  std::unique_ptr<python::Sampler> python_sampler_;  // null: not requested
};

}  // namespace prof::session
