#include "collector/live/shown_frames.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace prof::live {

namespace {

// Libraries that are not specific to the program: many kinds of programs wait in them.
constexpr std::array<std::string_view, 10> kGeneralLibraries = {
    "libc.so",      "libc-2",      "ld-linux", "ld-musl",  "libpthread",
    "libstdc++.so", "libpython3.", "[vdso]",   "libgcc_s", "libffi."};

// True for the functions that each thread of Python's threading module begins with.
bool is_thread_start(const Frame& frame) {
  return frame.file.ends_with("/threading.py") &&
         (frame.function == "Thread.run" || frame.function.starts_with("Thread._bootstrap") ||
          frame.function == "run" || frame.function.starts_with("_bootstrap"));
}

Fold fold_of(const Frame& frame, bool runs_python) {
  if (frame.is_python) return is_thread_start(frame) ? Fold::kInterpreter : Fold::kShown;
  if (runs_python && is_general(frame)) return Fold::kInterpreter;
  if (frame.is_inlined &&
      (frame.function.starts_with("std::") || frame.function.starts_with("__gnu_cxx::")))
    return Fold::kInlined;
  return !frame.has_name && frame.module.empty() ? Fold::kUnnamed : Fold::kShown;
}

}  // namespace

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

std::vector<ShownFrame> shown_frames(const Thread& thread) {
  const bool runs_python = std::ranges::any_of(thread.frames, &Frame::is_python);
  std::vector<ShownFrame> shown;
  for (const Frame& each : thread.frames) {
    const Fold fold = fold_of(each, runs_python);
    if (fold != Fold::kShown && !shown.empty() && shown.back().fold == fold)
      ++shown.back().count;
    else
      shown.push_back({&each, 1, fold});
  }
  return shown;
}

}  // namespace prof::live
