#include "collector/ingest/diagnostics/final_messages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace prof::ingest {

using spool::Severity;

namespace {

class Messages {
 public:
  void add(std::string text) { messages_.push_back({Severity::kInfo, std::move(text)}); }
  // Each of these functions adds a message only if the count is not 0.
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
  std::vector<FinalMessage> take() { return std::move(messages_); }

 private:
  template <class... T>
  void add(Severity severity, std::uint64_t count, fmt::format_string<std::uint64_t&, T...> text,
           T... more) {
    if (count > 0)
      messages_.push_back({severity, fmt::vformat(text, fmt::make_format_args(count, more...))});
  }
  std::vector<FinalMessage> messages_;
};

void add_event_counts(Messages& messages, const SessionCounts& counts) {
  messages.add(fmt::format("NVTX events: {}.", counts.nvtx.events));
  messages.add(fmt::format("OS runtime calls: {}.", counts.os_runtime_calls));
  messages.info(counts.file_accesses, "File accesses: {}.");
  messages.info(counts.library_calls, "Library calls: {}.");
  messages.info(counts.mpi_events, "MPI events: {}.");
  messages.info(counts.ucx_events, "UCX calls: {}.");
  messages.info(counts.shmem_events, "OpenSHMEM calls: {}.");
  messages.info(counts.torch_memory_events, "Events of PyTorch's memory: {}.");
  messages.info(counts.torch_memory_failures,
                "PyTorch had no memory left for a request ({} in all). prof stats -r torch_memory "
                "shows what was in use.");
  messages.info(counts.openmp_events, "OpenMP events: {}.");
  messages.info(counts.openacc_events, "OpenACC events: {}.");
  messages.info(counts.vulkan_events, "Vulkan events: {}.");
  messages.info(counts.vulkan_workloads, "GPU workloads of Vulkan: {}.");
  messages.info(counts.opengl_events, "OpenGL events: {}.");
  messages.add(fmt::format("CUDA events: {} API calls, {} GPU operations.", counts.cuda.calls,
                           counts.cuda.operations));
  messages.info(counts.pc_samples.samples, "PC samples of GPUs: {}.");
  messages.info(counts.system_calls.calls, "System calls: {}.");
  messages.info(counts.tracepoints.events, "Events of ftrace: {}.");
  messages.info(counts.cpu.samples, "CPU samples: {}.");
  messages.info(counts.cpu.switches, "Context switches: {}.");
  messages.info(counts.system_calls.in_progress, "System calls still in progress at the end: {}.");
}

// Names some of the ranks: there can be many.
std::string names_of_ranks(const std::vector<std::int32_t>& ranks) {
  constexpr std::size_t kMaxNames = 10;
  const std::span named(ranks.data(), std::min(ranks.size(), kMaxNames));
  return fmt::format("{}{}", fmt::join(named, ", "), ranks.size() > kMaxNames ? ", …" : "");
}

void add_missing_events(Messages& messages, const SessionCounts& counts) {
  messages.warn(counts.system_calls.dropped,
                "{} records of system calls (two per call) were dropped because the kernel's "
                "buffer was full. Calls that are missing because one of their records was dropped: "
                "{}.",
                counts.system_calls.incomplete);
  messages.warn(counts.tracepoints.dropped,
                "{} events of ftrace were dropped because the kernel's buffer was full. Choose "
                "fewer events with --ftrace.");
  messages.warn(counts.skipped_stacks,
                "Calls without a native call chain because the event buffer was filling up: {}. A "
                "higher --osrt-backtrace-threshold or --buffer-size makes them fewer.");
  messages.warn(counts.cpu.dropped,
                "{} records of CPU samples and context switches were dropped because the kernel's "
                "buffer was full. What the CPUs did at that time is missing.");
  messages.warn(counts.cuda.impossible,
                "GPU records with an impossible time (usually unfinished work): {}.");
  messages.warn(
      counts.pc_samples.dropped,
      "{} PC samples of {} were dropped by the GPU. A longer period (--pc-sampling) makes "
      "them fewer.",
      counts.pc_samples.samples);
  messages.warn(counts.pc_samples.unrecorded,
                "{} PC samples were dropped because the event buffer was full. A larger "
                "--buffer-size or a longer period (--pc-sampling) makes them fewer.");
  messages.warn(counts.pc_samples.times_full,
                "The GPU's buffer of PC samples was full in {} CUDA contexts, and CUPTI gives no "
                "later samples. A longer period (--pc-sampling) avoids that.");
  messages.info(counts.nvtx.open_ranges, "NVTX ranges that never ended: {}.");
  // In a capture range a pop can belong to a push before the range. That push is not recorded.
  if (!counts.in_a_window) {
    messages.warn(counts.nvtx.unmatched_pops, "nvtxRangePop calls without a range to pop: {}.");
    messages.warn(counts.nvtx.unmatched_ends,
                  "nvtxRangeEnd calls for ranges that were not started in the same process: {}.");
    messages.info(counts.unfinished_ranks.size(), "{} MPI ranks ended without MPI_Finalize: {}.",
                  names_of_ranks(counts.unfinished_ranks));
  }
  messages.error(counts.corrupt_bytes, "Damaged event data was skipped: {} bytes.");
  messages.error(counts.ignored_bytes, "Damaged parts of the recording were skipped: {} bytes.");
}

}  // namespace

std::vector<FinalMessage> final_messages(const SessionCounts& counts) {
  Messages messages;
  add_event_counts(messages, counts);
  add_missing_events(messages, counts);
  for (const UnusedInterface& each : counts.unused)
    messages.add(fmt::format("{} was traced, but {}.", each.name, each.reason));
  if (!counts.complete)
    messages.warn(1, "prof was killed before the session ended; this report was recovered.");
  messages.add("Collection stopped.");
  return messages.take();
}

}  // namespace prof::ingest
