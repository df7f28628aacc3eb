#include "collector/live/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collector/live/shown_frames.hpp"

namespace prof::live {

namespace {

std::string describe(const Frame& frame) {
  std::string function =
      frame.function + (frame.function.ends_with(')') || !frame.has_name ? "" : "()");
  if (frame.line <= 0) return function;
  return fmt::format("{} ({}:{})", function, frame.file.substr(frame.file.rfind('/') + 1),
                     frame.line);
}

}  // namespace

std::vector<const Frame*> Thread::places(std::size_t most) const {
  std::vector<const Frame*> found;
  for (const Frame& each : frames)
    if (found.size() < most && each.has_name && !is_general(each)) found.push_back(&each);
  if (!found.empty()) return found;
  for (const Frame& each : frames)
    if (found.empty() && each.has_name) found.push_back(&each);
  if (found.empty() && !frames.empty()) found.push_back(&frames.front());
  return found;
}

const Thread* ProcessState::find(pid_t thread) const {
  for (const Thread& each : threads)
    if (each.id == thread) return &each;
  return nullptr;
}

const Thread* ProcessState::main_thread() const {
  if (const Thread* main = find(process.pid)) return main;
  return threads.empty() ? nullptr : &threads.front();
}

std::string label(const Process& process) {
  if (process.rank >= 0) return fmt::format("rank {}", process.rank);
  return fmt::format("process {} ({})", process.pid, process.name);
}

std::string label(const Thread& thread) {
  return fmt::format("thread {} \"{}\"", thread.id, thread.name);
}

std::string text_of(const AsyncTask& task) {
  constexpr std::size_t kMaxShown = 4;
  std::string text = task.awaits;
  for (std::size_t i = 0; i < std::min(task.frames.size(), kMaxShown); ++i)
    text += (i == 0 ? " in " : ", called by ") + describe(task.frames[i]);
  return text;
}

std::string stopped_text(const std::vector<pid_t>& processes) {
  std::string pids;
  for (const pid_t each : processes) pids += fmt::format(" {}", each);
  const bool is_one = processes.size() == 1;
  return fmt::format("{} stopped by a signal; kill -CONT{} {} go on", is_one ? "is" : "are", pids,
                     is_one ? "lets it" : "lets them");
}

std::string place_of(const Thread& thread) {
  constexpr std::size_t kMaximum = 2;
  std::string text;
  for (const Frame* each : thread.places(kMaximum))
    text += (text.empty() ? "" : ", called by ") + describe(*each);
  return text;
}

}  // namespace prof::live
