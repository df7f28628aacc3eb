// The input of the findings about what a program does on CPUs: its threads, read once.
//
// Every moment of the program's time counts once. It is divided evenly among the threads that
// matter at that moment (rank_of). So the shares of all periods add up to the program's time, and
// idle threads of a pool have a share only when nothing else happens.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/analyze/program/activity.hpp"
#include "exporters/analysis/analyze/program/waits/call_purpose.hpp"
#include "exporters/analysis/analyze/program/waits/database_locks.hpp"
#include "exporters/analysis/events/call_chains/call_tree.hpp"
#include "exporters/analysis/events/call_chains/callers.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/graphics/frames.hpp"
#include "exporters/analysis/insight/graphics/submits.hpp"
#include "exporters/analysis/insight/openmp_regions.hpp"

namespace prof::analyze {

// What lasts for less than 1 / kMoment of a time lasts for a moment, and says little about it.
inline constexpr std::int64_t kMoment = 200;

struct CpuThread {
  std::int64_t global_tid = 0;
  std::string name;        // may be empty
  std::string process;     // path of the program; may be empty
  std::int64_t start = 0;  // ns, start of the first period
  std::int64_t end = 0;
  std::array<std::int64_t, kActivities> times{};  // ns, the thread's own time
  std::array<double, kActivities> shares{};       // ns of the program's time

  // Returns how much of the program's time each ns counts for in which the thread runs.
  double share_of_running() const {
    constexpr auto kRunning = static_cast<std::size_t>(Activity::kRunning);
    return times[kRunning] > 0 ? shares[kRunning] / static_cast<double>(times[kRunning]) : 1;
  }
};

// A period in which a thread has one activity.
struct Period {
  std::int64_t start = 0;  // ns
  std::int64_t end = 0;
  double share = 0;          // ns of the program's time
  std::uint32_t thread = 0;  // index in CpuFacts::threads
  std::uint32_t call =
      0;  // for a wait the innermost call around its start, as index in CpuFacts::calls; or kNone
  Activity activity = Activity::kUnknown;

  std::int64_t length() const { return end - start; }
};

// An OS-runtime call, or a system call of a thread without OS-runtime calls.
struct OsCall {
  std::int64_t start = 0;  // ns
  std::int64_t end = 0;
  double share = 0;          // ns of the program's time, running and waiting; 0 for nested calls
  double running = 0;        // ns of the program's time: the part of `share` on a CPU
  std::int64_t name = 0;     // StringIds.id
  std::int64_t chain = 0;    // id of the call chain, or 0
  std::int64_t result = 0;   // return value
  std::uint32_t thread = 0;  // index in CpuFacts::threads
  bool is_nested = false;    // the call is inside of another call of its thread
  CallPurpose purpose = CallPurpose::kOther;
  std::uint32_t file = UINT32_MAX;                   // index in CpuFacts::files, or CpuFacts::kNone
  std::int64_t bytes = -1;                           // bytes transferred; -1: unknown
  std::optional<Activity> waits_for = std::nullopt;  // set if it differs from wait_of(name)

  std::int64_t length() const { return end - start; }
};

// The calls of one function that were too short to be recorded as calls.
struct ShortCallSum {
  std::uint32_t thread = 0;  // index in CpuFacts::threads
  std::int64_t name = 0;     // StringIds.id
  std::int64_t calls = 0;
  std::int64_t duration = 0;  // ns, of all these calls
};

// A time in which a thread waits for Python's interpreter lock, or holds it.
struct LockRange {
  std::int64_t start = 0;  // ns
  std::int64_t end = 0;
  std::uint32_t thread = 0;  // index in CpuFacts::threads
  bool is_wait = false;
};

// Samples of running threads with their call chains. In CpuFacts::python_waits the threads waited.
struct CodeProfile {
  struct Sample {
    std::int64_t time;
    double share;  // ns of the program's time
    std::uint32_t thread;
    events::CallTree::Node node;  // node of the innermost frame
  };
  explicit CodeProfile(events::Strings& strings, const events::CodeLines* lines)
      : code(strings, events::FrameDetail::kLine, lines) {}

  events::CallTree tree;        // call chains, outermost frame first
  events::CodeFrames code;      // frames of the tree
  std::vector<Sample> samples;  // sorted by thread and time
  bool has_samples() const { return !samples.empty(); }
};

// An event loop that a thread runs. See waits/event_loops.hpp.
enum class EventLoop : std::uint8_t { kNone, kPython, kNative };

// Samples in calls of one function.
struct SampledCalls {
  double share = 0;                      // ns of the program's time
  double in_kernel = 0;                  // ns, the part of `share` inside of system calls
  std::map<std::string, double> places;  // shares by place: "write < log (app.c:33)"
};

struct CpuFacts {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::vector<CpuThread> threads;      // sorted by globalTid
  std::vector<Period> periods;         // sorted by thread and start
  std::vector<OsCall> calls;           // sorted by thread and start
  std::vector<LockRange> lock_ranges;  // sorted by thread and start; empty if the report has none
  std::vector<ShortCallSum> short_calls;
  std::vector<std::string> files;  // names of files, pipes and sockets
  std::unique_ptr<events::Strings> strings;
  std::unique_ptr<CodeProfile> native;  // CPU samples; null if the report has none
  std::unique_ptr<CodeProfile> python;  // Python samples; null if the report has none
  std::unique_ptr<CodeProfile>
      python_waits;  // where Python threads waited; null if the report has no such samples
  std::optional<std::map<std::string, SampledCalls>> sampled_calls;  // see sampled_calls.hpp
  std::optional<std::vector<EventLoop>> event_loops;                 // see event_loops.hpp
  DatabaseLocks database_locks;
  insight::OpenMpRegions openmp;
  insight::Frames frames;
  std::vector<insight::Submit> submits;
  std::optional<events::Callers>
      callers;  // callers of the calls; empty if the report has no call chains

  std::array<double, kActivities> shares{};  // ns of the program's time
  double time = 0;                           // ns, the sum of `shares`
  std::int64_t processes = 0;                // number of processes with a thread in `threads`
  std::int64_t cpus = 0;                     // number of CPUs on which the threads ran, if known
  // The following kinds were recorded, even if no event of the kind happened.
  bool has_states = false;          // context switches
  bool has_calls = false;           // OS-runtime calls or system calls
  bool has_samples = false;         // CPU samples
  bool has_python_samples = false;  // Python samples

  bool has_python() const;  // true if a process is a Python interpreter
  // Returns the time in ns without the time in which threads wait for a CPU, because that depends
  // on what else the machine does. Without context switches all time of unknown activity may be
  // such a wait, so it is left out, too.
  double time_with_cpu() const {
    const double unknown = has_states ? 0 : share(Activity::kUnknown);
    return time - share(Activity::kNeedsCpu) - unknown;
  }
  double share(Activity activity) const { return shares[static_cast<std::size_t>(activity)]; }
  const std::string& name(const OsCall& call) const { return strings->text(call.name); }
  // Returns "NAME (thread 12 of app)", as far as it is known.
  std::string thread_text(std::uint32_t thread) const;
  // Returns where the call was made, as "function (file:line) < caller". Empty if the call has no
  // call chain.
  std::string caller_text(const OsCall& call);
};

// True for the program `sleep`, whose only work is to wait.
inline bool is_sleep_program(std::string_view process) {
  return events::file_name(process) == "sleep";
}

// Tests the names of calls, once for each name.
class NameTest {
 public:
  using Test = bool (*)(std::string_view name);
  NameTest(const CpuFacts& facts, Test test) : facts_(facts), test_(test) {}

  bool operator()(const OsCall& call) {
    const auto [at, is_new] = known_.try_emplace(call.name);
    if (is_new) at->second = test_(facts_.name(call));
    return at->second;
  }

 private:
  const CpuFacts& facts_;
  Test test_;
  std::unordered_map<std::int64_t, bool> known_;
};

// Reads the events that the views show. `lines` has the source lines of native code, or is null.
base::Result<CpuFacts> read_cpu_facts(const report::ReportReader& reader,
                                      const events::CodeLines* lines = nullptr);

}  // namespace prof::analyze
