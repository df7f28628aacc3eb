#include "cli/stack/stack_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "collector/live/causes.hpp"
#include "collector/live/shown_frames.hpp"

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

// Returns a text such as "12, 13, 14 and 40 more".
std::string first_of(const std::vector<std::string>& words) {
  constexpr std::size_t kMaxWords = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), kMaxWords); ++i)
    text += (i == 0 ? "" : ", ") + words[i];
  return words.size() <= kMaxWords ? text
                                   : text + fmt::format(" and {} more", words.size() - kMaxWords);
}

// Removes addresses: "waits for mutex 0x55aa" becomes "waits for mutex".
std::string without_addresses(const std::string& text) {
  static const std::regex kAddress(R"( (\(0x[0-9a-f]+\)|0x[0-9a-f]+))");
  return std::regex_replace(text, kAddress, "");
}

// Returns a line for each thing that threads of a group wait for. Things that differ only in their
// address share a line.
std::vector<std::string> waits_of(const ThreadGroup& group) {
  std::vector<std::pair<std::string, std::set<std::string>>> kinds;
  for (const auto& member : group.members) {
    const std::string& text = member.thread->wait.text;
    const std::string kind = without_addresses(text);
    const auto known = std::ranges::find(kinds, kind, [](const auto& each) { return each.first; });
    if (known == kinds.end())
      kinds.push_back({kind, {text}});
    else
      known->second.insert(text);
  }
  std::vector<std::string> lines;
  for (const auto& [kind, texts] : kinds)
    lines.push_back(texts.size() == 1 ? *texts.begin()
                                      : fmt::format("{} ({} different ones)", kind, texts.size()));
  return lines;
}

// Returns "rank 0, 1: main thread" or "process 12 (python3): thread 14 "loader"".
std::string who(const ThreadGroup& group) {
  const auto& first = group.members.front();
  if (group.members.size() == 1)
    return fmt::format("{}, {}", label(first.process->process), label(*first.thread));
  std::set<const ProcessState*> processes;
  std::vector<int> ranks;
  std::vector<std::string> ids;
  bool has_one_name = true;
  for (const auto& [process, thread] : group.members) {
    const bool is_new = processes.insert(process).second;
    if (is_new && process->process.rank >= 0) ranks.push_back(process->process.rank);
    ids.push_back(std::to_string(thread->id));
    has_one_name = has_one_name && thread->name == first.thread->name;
  }
  const std::string threads = first_of(ids);
  const bool is_named = has_one_name && first.thread->name != first.process->process.name;
  const std::string count = fmt::format("{} threads{}", group.members.size(),
                                        is_named ? " \"" + first.thread->name + "\"" : "");
  if (ranks.size() == processes.size() && ranks.size() > 1)
    return fmt::format("ranks {}, {}: {}", live::number_list(ranks), count, threads);
  if (processes.size() == 1)
    return fmt::format("{}, {}: {}", label(first.process->process), count, threads);
  return fmt::format("{} of {} processes: {}", count, processes.size(), threads);
}

std::string line_of(const live::ShownFrame& shown) {
  if (shown.count == 1) return line_of(*shown.frame);
  switch (shown.fold) {
    case live::Fold::kInterpreter:
      return fmt::format("    ({} frames of the interpreter)\n", shown.count);
    case live::Fold::kInlined:
      return fmt::format("    ({} inlined frames of the C++ library)\n", shown.count);
    default:
      return fmt::format("    ({} frames of code without names)\n", shown.count);
  }
}

// Returns a line for the tasks of asyncio that are at the same place.
std::string tasks_of(const ThreadGroup& group) {
  constexpr std::size_t kMaxLines = 12;
  std::vector<std::pair<std::string, std::vector<std::string>>> tasks;
  std::size_t count = 0;
  for (const auto& member : group.members)
    for (const live::AsyncTask& each : member.thread->tasks) {
      const std::string text = live::text_of(each);
      auto known = std::ranges::find(tasks, text, [](const auto& found) { return found.first; });
      if (known == tasks.end()) known = tasks.insert(known, {text, {}});
      known->second.push_back('"' + each.name + '"');
      ++count;
    }
  if (count == 0) return "";
  std::ranges::stable_sort(
      tasks, [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::string text = fmt::format("  {} task{} of asyncio\n", count, count == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(tasks.size(), kMaxLines); ++i)
    text += fmt::format("    {}: {}\n", first_of(tasks[i].second), tasks[i].first);
  if (tasks.size() > kMaxLines)
    text += fmt::format("    ({} more places)\n", tasks.size() - kMaxLines);
  return text;
}

std::string text_of(const ThreadGroup& group, bool shows_all) {
  const live::Thread& thread = *group.members.front().thread;
  std::string text = who(group) + "\n";
  if (!thread.problem.empty())
    return text + "  " + thread.wait.text + "\n    " + thread.problem + "\n";
  if (!thread.call.empty()) text += fmt::format("  in {}\n", thread.call);
  // Threads with equal chains can wait for different things.
  for (const std::string& each : waits_of(group)) text += "  " + each + "\n";
  if (shows_all)
    for (const live::Frame& each : thread.frames) text += line_of(each);
  else
    for (const live::ShownFrame& each : live::shown_frames(thread)) text += line_of(each);
  if (!thread.chain_end.empty())
    text += fmt::format("    ({}: outer frames are missing)\n", thread.chain_end);
  return text + tasks_of(group);
}

// Returns a paragraph for each reason why processes cannot be looked at.
std::string problems_of(const std::vector<ProcessState>& processes) {
  std::vector<std::pair<std::string, std::vector<std::string>>> problems;
  for (const ProcessState& each : processes) {
    if (each.problem.empty()) continue;
    const auto known =
        std::ranges::find(problems, each.problem, [](const auto& found) { return found.first; });
    auto& labels = known != problems.end()
                       ? known->second
                       : problems.emplace_back(each.problem, std::vector<std::string>()).second;
    labels.push_back(label(each.process));
  }
  std::string text;
  for (const auto& [problem, labels] : problems)
    text += labels.size() == 1 ? fmt::format("\n{} {}\n", labels[0], problem)
                               : fmt::format("\n{} processes are not shown; each {}\n  {}\n",
                                             labels.size(), problem, first_of(labels));
  return text;
}

}  // namespace

std::string stack_text(const std::vector<ProcessState>& processes, const live::GpuLoads& gpus,
                       bool shows_all) {
  std::string text;
  for (const std::string& line : live::find_causes(processes)) text += line + "\n";
  for (const live::GpuLoad& each : gpus.gpus) text += describe(each, processes) + "\n";
  if (!gpus.remark.empty()) text += gpus.remark + "\n";
  text += heading(processes);
  text += problems_of(processes);
  for (const ProcessState& each : processes)
    if (each.problem.empty() && (processes.size() > 1 || each.process.rank >= 0))
      text += fmt::format("\n{}{}: {}", each.process.rank >= 0 ? label(each.process) + ", " : "",
                          each.process.pid, command_of(each.process));
  if (processes.size() > 1) text += "\n";
  for (const ThreadGroup& each : live::group_threads(processes))
    text += "\n" + text_of(each, shows_all);
  return text;
}

}  // namespace prof::cli
