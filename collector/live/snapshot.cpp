#include "collector/live/snapshot.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace prof::live {

namespace {

// Libraries that are not specific to the program: many kinds of programs wait in them.
constexpr std::array<std::string_view, 10> kGeneralLibraries = {
    "libc.so",      "libc-2",      "ld-linux", "ld-musl",  "libpthread",
    "libstdc++.so", "libpython3.", "[vdso]",   "libgcc_s", "libffi."};

bool is_general(const Frame& frame) {
  if (frame.is_python) {
    if (frame.file.starts_with("<frozen")) return true;
    const bool is_installed = frame.file.find("-packages/") != std::string::npos;
    return !is_installed && frame.file.find("/lib/python3") != std::string::npos;
  }
  // Functions of the C library in a static program.
  for (const std::string_view each : {"__futex_", "__lll_", "__pthread_"})
    if (frame.function.starts_with(each)) return true;
  // Functions from headers of the C++ library.
  if (frame.file.starts_with("/usr/include/") ||
      frame.file.find("/include/c++/") != std::string::npos)
    return true;
  // Modules of Python's standard library, and the interpreter itself.
  if (frame.module.find("/lib-dynload/") != std::string::npos) return true;
  const std::string_view name = std::string_view(frame.module).substr(frame.module.rfind('/') + 1);
  if (name.starts_with("python3")) return true;
  for (const std::string_view each : kGeneralLibraries)
    if (name.starts_with(each)) return true;
  return frame.function.starts_with("std::");
}

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

std::string place_of(const Thread& thread) {
  constexpr std::size_t kMaximum = 2;
  std::string text;
  for (const Frame* each : thread.places(kMaximum))
    text += (text.empty() ? "" : ", called by ") + describe(*each);
  return text;
}

}  // namespace prof::live
