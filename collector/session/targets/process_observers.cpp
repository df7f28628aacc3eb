#include "collector/session/targets/process_observers.hpp"

#include <fmt/format.h>

#include <cstring>

#include "collector/session/chains/stack_copy_check.hpp"

namespace prof::session {

ProcessObservers::ProcessObservers(const SessionContext& session, wire::ArenaHeader& arena)
    : session_(session), arena_(arena) {
  if (!session_.options.has_native_call_chains()) return;
  const std::string obstacle = stack_copy_obstacle();
  copies_stacks_ = obstacle.empty();
  if (!copies_stacks_)
    report_obstacle(
        session_.options.native_call_chains_chosen(),
        "Native call chains of OS-runtime and CUDA calls are not recorded: " + obstacle);
}

// Reports what is not recorded: on stderr only if the user chose it.
void ProcessObservers::report_obstacle(bool chosen, const std::string& text) {
  if (chosen)
    session_.recorder.warn(text);
  else
    session_.recorder.diagnostic(spool::Severity::kInfo, text);
}

void ProcessObservers::start() {
  const SessionOptions& options = session_.options;
  if (copies_stacks_) create_call_chains();
  if (options.python.samples)
    python_sampler_ = std::make_unique<python::Sampler>(
        arena_, session_.clock,
        python::SamplerOptions{.frequency = options.python.samples_per_second(),
                               .is_sparing = !options.python.samples_chosen,
                               .in_ranges = options.ranges.enabled || options.time.is_any()});
}

void ProcessObservers::stop() {
  report_python_sampling();
  python_sampler_.reset();
  call_chains_.reset();
}

void ProcessObservers::create_call_chains() {
  call_chains_ = std::make_unique<EventCallChains>(session_.chains, session_.recorder,
                                                   TickClock(session_.clock),
                                                   session_.options.osrt_chain_depth());
}

void ProcessObservers::enable_samples() {
  if (call_chains_ == nullptr) create_call_chains();
  call_chains_->enable_samples(session_.options.cpu);
}

void ProcessObservers::add(const LiveProcess& process, std::uint32_t parent) {
  if (python_sampler_ != nullptr)
    python_sampler_->add(process.serial, process.slot, process.pid, parent);
  if (call_chains_ != nullptr)
    call_chains_->add(process.serial, process.pid, parent, process.time,
                      arena_.slots[process.slot]);
}

void ProcessObservers::end(std::uint32_t serial) {
  if (python_sampler_ != nullptr) python_sampler_->remove(serial);
  if (call_chains_ != nullptr) call_chains_->end(serial);
}

void ProcessObservers::forget(std::uint32_t serial) {
  if (call_chains_ != nullptr) call_chains_->forget(serial);
}

void ProcessObservers::drain_python_samples() {
  if (python_sampler_ == nullptr) return;
  python_sampler_->drain([this](const spool::PieceHeader& piece, std::span<const std::byte> bytes) {
    session_.recorder.records(piece, bytes);
  });
}

void ProcessObservers::report_python_sampling() {
  if (python_sampler_ == nullptr || !python_sampler_->has_started()) return;
  const python::Sampler::Outcome outcome = python_sampler_->stop();
  session_.recorder.diagnostic(
      spool::Severity::kInfo,
      fmt::format("Python samples: {} taken ({} of them while a function was called or "
                  "returned), {} of idle threads skipped, {} not taken because the call chain "
                  "changed while it was read, {} missed because prof was late. {} waits noted.",
                  outcome.counts.taken, outcome.counts.moved, outcome.counts.idle,
                  outcome.counts.torn, outcome.missed, outcome.counts.waits));
  if (outcome.refused == 0) return;
  report_obstacle(
      session_.options.python.samples_chosen,
      fmt::format("Python is not sampled: prof may not read the program's memory "
                  "(process_vm_readv: {}). This requires CAP_SYS_PTRACE, or a program that may be "
                  "debugged and a value of 1 or less in /proc/sys/kernel/yama/ptrace_scope.",
                  strerror(outcome.refused)));
}

}  // namespace prof::session
