#include "cli/stack/stack_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collector/live/causes.hpp"

namespace prof::cli {

namespace {

using live::ProcessState;
using live::ThreadGroup;

constexpr std::size_t kFunctionWidth = 48;

std::string heading(const std::vector<ProcessState>& processes) {
  constexpr double kMilli = 1e-6;
  std::size_t threads = 0;
  std::uint64_t longest = 0;
  for (const ProcessState& each : processes) {
    threads += each.threads.size();
    for (const live::Thread& thread : each.threads) longest = std::max(longest, thread.stopped_ns);
  }
  return fmt::format("{} process{}, {} thread{}, each stopped for at most {:.2f} ms\n",
                     processes.size(), processes.size() == 1 ? "" : "es", threads,
                     threads == 1 ? "" : "s", static_cast<double>(longest) * kMilli);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string line_of(const live::Frame& frame) {
  std::string function = frame.function;
  if (frame.is_python) function += "()";
  if (frame.is_inlined) function += " [inlined]";
  std::string place = frame.is_python ? frame.file : base_name(frame.file);
  if (frame.line > 0)
    place += fmt::format(":{}", frame.line);
  else if (place.empty())
    place = base_name(frame.module);
  if (place.empty() || (!frame.has_name && frame.file.empty()))
    return fmt::format("    {}\n", function);
  return fmt::format("    {:<{}}  {}\n", function, kFunctionWidth, place);
}

// Shortens the command line, which can be very long.
std::string command_of(const live::Process& process) {
  constexpr std::size_t kMaximum = 100;
  std::string command = process.command();
  if (command.size() > kMaximum) command = command.substr(0, kMaximum) + "...";
  return command;
}

// Returns "rank 0, 1: main thread" or "process 12 (python3): thread 14 "loader"".
std::string who(const ThreadGroup& group) {
  const auto& first = group.members.front();
  if (group.members.size() == 1)
    return fmt::format("{}, {}", label(first.process->process), label(*first.thread));
  std::set<const ProcessState*> processes;
  std::vector<int> ranks;
  std::string threads;
  for (const auto& [process, thread] : group.members) {
    const bool is_new = processes.insert(process).second;
    if (is_new && process->process.rank >= 0) ranks.push_back(process->process.rank);
    threads += fmt::format("{}{}", threads.empty() ? "" : ", ", thread->id);
  }
  const std::string count = fmt::format("{} threads", group.members.size());
  if (ranks.size() == processes.size() && ranks.size() > 1)
    return fmt::format("ranks {}, {}: {}", live::number_list(ranks), count, threads);
  if (processes.size() == 1)
    return fmt::format("{}, {}: {}", label(first.process->process), count, threads);
  return fmt::format("{} of {} processes: {}", count, processes.size(), threads);
}

std::string text_of(const ThreadGroup& group) {
  const live::Thread& thread = *group.members.front().thread;
  std::string text = who(group) + "\n";
  if (!thread.problem.empty())
    return text + "  " + thread.wait.text + "\n    " + thread.problem + "\n";
  // Threads with equal chains can wait for different things.
  std::vector<std::string> waits;
  for (const auto& member : group.members)
    if (std::ranges::find(waits, member.thread->wait.text) == waits.end())
      waits.push_back(member.thread->wait.text);
  if (!thread.call.empty()) text += fmt::format("  in {}\n", thread.call);
  for (const std::string& each : waits) text += "  " + each + "\n";
  for (const live::Frame& each : thread.frames) text += line_of(each);
  if (!thread.chain_end.empty())
    text += fmt::format("    ({}: outer frames are missing)\n", thread.chain_end);
  return text;
}

}  // namespace

std::string stack_text(const std::vector<ProcessState>& processes, const live::GpuLoads& gpus) {
  std::string text;
  for (const std::string& line : live::find_causes(processes)) text += line + "\n";
  for (const live::GpuLoad& each : gpus.gpus) text += describe(each, processes) + "\n";
  if (!gpus.remark.empty()) text += gpus.remark + "\n";
  text += heading(processes);
  for (const ProcessState& each : processes)
    if (!each.problem.empty()) text += fmt::format("\n{} {}\n", label(each.process), each.problem);
  for (const ProcessState& each : processes)
    if (each.problem.empty() && (processes.size() > 1 || each.process.rank >= 0))
      text += fmt::format("\n{}{}: {}", each.process.rank >= 0 ? label(each.process) + ", " : "",
                          each.process.pid, command_of(each.process));
  if (processes.size() > 1) text += "\n";
  for (const ThreadGroup& each : live::group_threads(processes)) text += "\n" + text_of(each);
  return text;
}

}  // namespace prof::cli
