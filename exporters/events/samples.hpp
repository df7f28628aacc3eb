// Samples of a report, and events that have call chains, with what was on the stack.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/events/code_frames.hpp"

namespace prof::events {

enum class SampleKind {
  kCpu,     // COMPOSITE_EVENTS
  kPython,  // PROF_PYTHON_SAMPLES
  kOsrt,    // OSRT_API: what the time of its calls was spent for
  kCuda     // CUPTI_ACTIVITY_KIND_RUNTIME: the same
};

// The table of the events.
const char* sample_table(SampleKind kind);

struct Sample {
  static constexpr std::int64_t kNoChain = INT64_MIN;
  static constexpr std::uint32_t kNoCall = UINT32_MAX;

  std::int64_t start;    // ns
  std::int64_t chain;    // kNoChain: there is none
  std::int64_t weight;   // of CPU samples cpuCycles, at least 1; of calls ns
  std::uint32_t thread;  // in Samples::threads
  std::uint32_t call;    // in Samples::calls: the function that was called, or kNoCall
};

struct Samples {
  std::vector<Sample> all;            // by chain
  std::vector<std::int64_t> threads;  // globalTid
  std::vector<std::int64_t> calls;    // StringIds.id
  std::int64_t weight = 0;            // of all
  bool of_clock = true;               // each weighs 1
};

// OS-runtime calls within others are left out: their time is the outer one's. None if the report
// has no table of them.
base::Result<Samples> read_samples(const report::ReportReader& reader, SampleKind kind);

// Time that a weight of 1 stands for, where the samples are a clock's and the report says it; at
// most a second.
std::optional<std::int64_t> sampling_interval(const report::ReportReader& reader, SampleKind kind,
                                              const Samples& samples);
// The same of Python samples: time in which a thread was at work.
std::optional<std::int64_t> python_sampling_interval(const report::ReportReader& reader);
// Of a weight; the longest time there is where it would be longer.
std::int64_t sampled_time(std::int64_t weight, std::int64_t interval);

// Samples of one chain, and its frames, innermost first. Those without a chain have one frame,
// which says so.
using VisitChain =
    std::function<void(std::span<const Sample> samples, std::span<const std::uint32_t> frames)>;

// Every sample once. If the rows of the chains turn out not to be in order, `restart` is called,
// which has to undo what was visited, and all begins anew.
base::Status for_each_chain(const report::ReportReader& reader, SampleKind kind,
                            const Samples& samples, CodeFrames& code, const VisitChain& visit,
                            const std::function<void()>& restart);

}  // namespace prof::events
