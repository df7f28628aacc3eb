// What a TargetServer has to say when its session ends.
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "collector/session/target_server.hpp"

namespace prof::session {

void TargetServer::tell_refusals() {
  const auto tell = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) recorder_.diagnostic(2, std::to_string(count) + what);
  };
  tell(refused_[wire::ReplyStatus::kWrongVersion],
       " processes loaded another version of libprof_inject.so and were not traced.");
  tell(refused_[wire::ReplyStatus::kRefused],
       " processes were not traced: a session takes at most " + std::to_string(wire::kMostImages) +
           ".");
  if (arrivals_) strangers_ += arrivals_->misunderstood();
  tell(strangers_, " connections to the session were not from a program under prof.");
  if (const auto failed = arena_.header()->failed_handshakes.load(); failed > 0)
    tell_unreachable(failed);
  if (header_spoiled_)
    recorder_.diagnostic(3, "A program overwrote the header of the event buffer.");
  if (reader_.corrupt_chunks() > 0)
    recorder_.diagnostic(3,
                         std::to_string(reader_.corrupt_chunks()) + " event buffers were damaged.");
}

void TargetServer::report_python_sampling() {
  if (python_sampler_ == nullptr) return;
  const python::Sampler::Outcome outcome = python_sampler_->stop();
  recorder_.diagnostic(1,
                       fmt::format("Python samples: {} taken ({} of them as a function was called "
                                   "or left), {} of idle threads left out, {} not taken as the "
                                   "stack changed meanwhile, {} moments missed.",
                                   outcome.counts.taken, outcome.counts.moved, outcome.counts.idle,
                                   outcome.counts.torn, outcome.late));
  if (outcome.refused == 0) return;
  const std::string text = fmt::format(
      "Python is not sampled: reading the program's memory is refused (process_vm_readv: {}). It "
      "takes "
      "CAP_SYS_PTRACE, or /proc/sys/kernel/yama/ptrace_scope of 1 or less and a program that may "
      "be debugged.",
      strerror(outcome.refused));
  recorder_.warn(text);
}

void TargetServer::tell_unreachable(std::uint64_t processes) {
  const std::string text = std::to_string(processes) +
                           (processes == 1 ? " forked process" : " forked processes") +
                           " could not reach the profiler: another user, another root directory "
                           "or a sandbox. Not traced, nor what they started as that user.";
  recorder_.warn(text);
}

void TargetServer::tell_of_lack_of_room() {
  if (without_room_ > 0)
    recorder_.warn(
        fmt::format("{} not traced: no address space (ulimit -v) or no descriptor (ulimit -n) for "
                    "the event buffer.",
                    without_room_ == 1 ? std::string("A process was")
                                       : fmt::format("{} processes were", without_room_)));
}

}  // namespace prof::session
