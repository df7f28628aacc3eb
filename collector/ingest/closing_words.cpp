#include "collector/ingest/closing_words.hpp"

#include <fmt/format.h>

namespace prof::ingest {

namespace {

class Remarks {
 public:
  void say(std::string text) { remarks_.push_back({Severity::kInfo, std::move(text)}); }
  // The same, but only of what there is.
  template <class... T>
  void info(std::uint64_t count, fmt::format_string<std::uint64_t&, T...> text, T... more) {
    add(Severity::kInfo, count, text, more...);
  }
  template <class... T>
  void warn(std::uint64_t count, fmt::format_string<std::uint64_t&, T...> text, T... more) {
    add(Severity::kWarning, count, text, more...);
  }
  template <class... T>
  void error(std::uint64_t count, fmt::format_string<std::uint64_t&, T...> text, T... more) {
    add(Severity::kError, count, text, more...);
  }
  std::vector<Remark> take() { return std::move(remarks_); }

 private:
  template <class... T>
  void add(Severity severity, std::uint64_t count, fmt::format_string<std::uint64_t&, T...> text,
           T... more) {
    if (count > 0)
      remarks_.push_back({severity, fmt::vformat(text, fmt::make_format_args(count, more...))});
  }
  std::vector<Remark> remarks_;
};

void count_events(Remarks& remarks, const SessionCounts& counts) {
  remarks.say(fmt::format("NVTX events: {}.", counts.nvtx.events));
  remarks.say(fmt::format("OS runtime calls: {}.", counts.calls));
  remarks.info(counts.file_accesses, "File accesses: {}.");
  remarks.info(counts.library_calls, "Library calls: {}.");
  remarks.say(fmt::format("CUDA events: {} API calls, {} GPU operations.", counts.cuda.calls,
                          counts.cuda.operations));
  remarks.info(counts.system_calls.calls, "System calls: {}.");
  remarks.info(counts.cpu.samples, "CPU samples: {}.");
  remarks.info(counts.cpu.switches, "Context switches: {}.");
  remarks.info(counts.system_calls.in_progress, "System calls still in progress at the end: {}.");
}

}  // namespace

std::vector<Remark> closing_words(const SessionCounts& counts) {
  Remarks remarks;
  count_events(remarks, counts);
  remarks.warn(counts.system_calls.lost,
               "{} records of system calls (two a call) were lost: the kernel's buffer was full. "
               "Left out besides, as one of their records is missing: {} calls.",
               counts.system_calls.torn);
  remarks.warn(counts.skipped_stacks,
               "Calls without a native call chain, as the event buffer was filling: {}. A higher "
               "--osrt-backtrace-threshold or --buffer-size leaves fewer.");
  remarks.warn(counts.cpu.lost,
               "{} records of CPU samples and context switches were lost: the kernel's buffer was "
               "full. What the CPUs did at that time is missing.");
  remarks.warn(counts.cuda.impossible,
               "GPU records without a possible time (unfinished work, as a rule): {}.");
  remarks.info(counts.nvtx.open_ranges, "NVTX ranges that never ended: {}.");
  // Outside of a capture range pushes leave no record; their pops may lie inside.
  if (!counts.in_a_window) {
    remarks.warn(counts.nvtx.unmatched_pops, "nvtxRangePop calls without a range to pop: {}.");
    remarks.warn(counts.nvtx.unmatched_ends,
                 "nvtxRangeEnd calls for ranges that were not started here: {}.");
  }
  remarks.error(counts.corrupt_bytes, "Damaged event data was skipped: {} bytes.");
  remarks.error(counts.ignored_bytes, "Damaged parts of the recording were skipped: {} bytes.");
  if (!counts.complete)
    remarks.warn(1, "The profiler was killed before the session ended; this report was recovered.");
  remarks.say("Collection stopped.");
  return remarks.take();
}

}  // namespace prof::ingest
