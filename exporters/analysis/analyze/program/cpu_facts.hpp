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
#include "exporters/analysis/events/call_chains/call_tree.hpp"
#include "exporters/analysis/events/call_chains/callers.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::analyze {

struct CpuThread {
  std::int64_t global_tid = 0;
  std::string name;        // may be empty
  std::string process;     // path of the program; may be empty
  std::int64_t start = 0;  // ns: of its first period
  std::int64_t end = 0;
  std::array<std::int64_t, kActivities> times{};  // ns: its own time, whole
  std::array<double, kActivities> shares{};       // ns of the program's time
};

// A period in which a thread does one thing.
struct Period {
  std::int64_t start = 0;  // ns
  std::int64_t end = 0;
  double share = 0;          // ns of the program's time
  std::uint32_t thread = 0;  // in CpuFacts::threads
  std::uint32_t call =
      0;  // of a wait, in CpuFacts::calls: the innermost call around its start; or kNone
  Activity activity = Activity::kUnknown;

  std::int64_t length() const { return end - start; }
};

// An OS-runtime call, or a system call of a thread without OS-runtime calls.
struct OsCall {
  std::int64_t start = 0;  // ns
  std::int64_t end = 0;
  double share = 0;         // ns of the program's time, running and waiting; nested calls have none
  double running = 0;       // ns of the program's time: the part of `share` on a CPU
  std::int64_t name = 0;    // in StringIds
  std::int64_t chain = 0;   // of its call chain, or 0
  std::int64_t result = 0;  // what it returned
  std::uint32_t thread = 0;  // in CpuFacts::threads
  bool is_nested = false;    // in another call of its thread
  CallPurpose purpose = CallPurpose::kOther;
  std::uint32_t file = UINT32_MAX;                   // in CpuFacts::files, or CpuFacts::kNone
  std::int64_t bytes = -1;                           // that it transferred; -1: unknown
  std::optional<Activity> waits_for = std::nullopt;  // where it is not what wait_of(name) says

  std::int64_t length() const { return end - start; }
};

// The calls of one function that were too short to be recorded as calls.
struct ShortCallSum {
  std::uint32_t thread = 0;  // in CpuFacts::threads
  std::int64_t name = 0;     // in StringIds
  std::int64_t calls = 0;
  std::int64_t duration = 0;  // ns, of all of them
};

// A time in which a thread waits for Python's interpreter lock, or holds it.
struct LockRange {
  std::int64_t start = 0;  // ns
  std::int64_t end = 0;
  std::uint32_t thread = 0;  // in CpuFacts::threads
  bool is_wait = false;
};

// Samples of threads that ran.
struct CodeProfile {
  struct Sample {
    std::int64_t time;
    double share;  // ns of the program's time
    std::uint32_t thread;
    events::CallTree::Node node;  // of its innermost frame
  };
  explicit CodeProfile(events::Strings& strings, const events::CodeLines* lines)
      : code(strings, events::FrameDetail::kLine, lines) {}

  events::CallTree tree;        // from the outermost frame on
  events::CodeFrames code;      // frames of the tree
  std::vector<Sample> samples;  // by thread and time
  bool has_samples() const { return !samples.empty(); }
};

// Samples in calls of one function.
struct SampledCalls {
  double share = 0;                      // ns of the program's time
  double in_kernel = 0;                  // the part of it inside of system calls
  std::map<std::string, double> places;  // shares by place: "write < log (app.c:33)"
};

struct CpuFacts {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::vector<CpuThread> threads;      // by globalTid
  std::vector<Period> periods;         // by thread and start
  std::vector<OsCall> calls;           // by thread and start
  std::vector<LockRange> lock_ranges;  // by thread and start; empty if the report has none
  std::vector<ShortCallSum> short_calls;
  std::vector<std::string> files;  // names of files, pipes and sockets
  std::unique_ptr<events::Strings> strings;
  std::unique_ptr<CodeProfile> native;        // CPU samples; empty if the report has none
  std::unique_ptr<CodeProfile> python;        // Python samples; empty if the report has none
  std::unique_ptr<CodeProfile> python_waits;  // where Python threads waited; the same
  std::optional<std::map<std::string, SampledCalls>> sampled_calls;  // see sampled_calls.hpp
  std::optional<events::Callers> callers;  // of the calls; none if the report has no call chains

  std::array<double, kActivities> shares{};  // ns of the program's time
  double time = 0;                           // ns, the sum of `shares`
  std::int64_t processes = 0;                // number of processes with a thread in `threads`
  bool has_states = false;                   // context switches
  // What was recorded, even if nothing came of it.
  bool has_calls = false;           // OS-runtime calls, or system calls
  bool has_samples = false;         // CPU samples
  bool has_python_samples = false;  // Python samples

  bool has_python() const;  // whether a process is a Python interpreter, by its name
  // The time without that in which threads wait for a CPU, in ns. That depends on what else the
  // machine does. Without context switches it may be any time for which there is no other reason.
  double time_with_cpu() const {
    const double unknown = has_states ? 0 : share(Activity::kUnknown);
    return time - share(Activity::kNeedsCpu) - unknown;
  }
  double share(Activity activity) const { return shares[static_cast<std::size_t>(activity)]; }
  const std::string& name(const OsCall& call) const { return strings->text(call.name); }
  // "NAME (thread 12 of app)", as much as is known.
  std::string thread_text(std::uint32_t thread) const;
  // "function (file:line) < caller": where the call was made; empty if it has no call chain.
  std::string caller_text(const OsCall& call);
};

// Asks something about the names of calls, once for each name.
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

// Reads what the views show. `lines`: source lines of native code, or null.
base::Result<CpuFacts> read_cpu_facts(const report::ReportReader& reader,
                                      const events::CodeLines* lines = nullptr);

}  // namespace prof::analyze
