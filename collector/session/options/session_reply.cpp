#include "collector/session/options/session_reply.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "common/wire/stack_records.hpp"

namespace prof::session {

namespace {

constexpr std::uint64_t kSyncFlushGapNs = 100'000'000;
constexpr std::uint64_t kThinningPeriodNs = 10'000'000;

// Frameworks call CUDA from deep call chains, and one frame of cuBLASLt has more than 32 KiB. A
// copy is never larger than the used part of the thread's stack.
constexpr std::uint32_t kCudaStackBytes = wire::kMaxStackBytes;

// Returns the features that options switch directly, and those that follow from other options and
// facts.
std::uint32_t features_of(const SessionOptions& options, const SessionFacts& facts) {
  const bool stacks = facts.copies_stacks;
  const bool changes = options.time.is_any();
  return options.features | (options.ranges.enabled || changes ? wire::kFeatureCaptureRange : 0) |
         (changes ? wire::kFeatureDormancy : 0) |
         (options.python.samples ? wire::kFeaturePythonSampling : 0) |
         (options.python.annotations.empty() ? 0 : wire::kFeaturePythonAnnotations) |
         (stacks && options.osrt_chain_depth() != 0 ? wire::kFeatureOsrtStacks : 0) |
         (stacks && options.call_chains.cuda() ? wire::kFeatureCudaStacks : 0) |
         (facts.sample_period != 0 ? wire::kFeatureCpuSampling : 0);
}

// Cuts texts that are too long. `out` is zeroed.
template <std::size_t n>
void copy(char (&out)[n], std::string_view text) {
  text.copy(out, n - 1);
}

void add_domain_filter(const NvtxOptions& options, wire::Reply& reply) {
  reply.nvtx_filter = options.filter;
  for (const std::string& domain : options.domains) {
    const std::size_t bytes = domain.size() + 1;
    if (reply.nvtx_domain_bytes + bytes > sizeof reply.nvtx_domains) break;
    std::memcpy(reply.nvtx_domains + reply.nvtx_domain_bytes, domain.c_str(), bytes);
    reply.nvtx_domain_bytes += static_cast<std::uint32_t>(bytes);
  }
}

void add_capture_range(const CaptureRangeOptions& options, wire::CaptureConfig& config) {
  copy(config.nvtx_range, options.nvtx_range);
  copy(config.nvtx_domain, options.nvtx_domain);
  config.counts_steps = options.counts_steps ? 1 : 0;
  config.first_frame = options.first_frame;
  config.frames = options.frames;
  for (const wire::StepWindow& window : options.windows)
    if (config.num_windows < wire::kMaxStepWindows) config.windows[config.num_windows++] = window;
}

void add_cuda(const SessionOptions& options, const spool::SessionClock& clock,
              wire::CudaConfig& config) {
  config.flags = options.cuda.flags;
  config.flush_interval = options.cuda.flush_interval;
  config.sync_flush_gap = clock.to_ticks(kSyncFlushGapNs);
  config.flush_timeout = options.cuda.flush_timeout;
  config.stack_bytes = kCudaStackBytes;
  config.pc_sampling = options.cuda.pc_sampling;
  config.cubins = options.cuda.cubins;
  for (std::size_t i = 0; i < wire::kCudaCallKinds; ++i) {
    const auto& threshold = options.call_chains.cuda_thresholds_ns[i];
    config.stack_thresholds[i] = threshold ? clock.to_ticks(*threshold) : ~std::uint64_t{0};
  }
  copy(config.cupti, options.cuda.cupti);
}

}  // namespace

wire::Reply reply_of(const SessionOptions& options, const SessionFacts& facts) {
  wire::Reply reply{};
  reply.magic = wire::kHandshakeMagic;
  reply.version = wire::kWireVersion;
  reply.status = wire::ReplyStatus::kTrace;
  reply.features = features_of(options, facts);
  reply.graphics = options.graphics;
  reply.sends_ranks = options.sends_ranks ? 1 : 0;
  reply.clock = facts.clock.is_tsc() ? wire::ClockSource::kTsc : wire::ClockSource::kMonotonicRaw;
  reply.small_chunks = facts.chunks.small;
  reply.large_chunks = facts.chunks.large;
  reply.osrt_threshold = facts.clock.to_ticks(options.osrt_threshold_ns);
  reply.osrt_chain_threshold = facts.clock.to_ticks(options.call_chains.osrt_threshold_ns);
  reply.osrt_stack_bytes = options.call_chains.osrt_stack_bytes & ~(wire::kRecordAlignment - 1);
  reply.sample_period = facts.sample_period;
  reply.max_overhead = options.max_overhead;
  reply.thinning_period = facts.clock.to_ticks(kThinningPeriodNs);
  reply.sample_stack_bytes = options.cpu.copied_stack_bytes();
  add_domain_filter(options.nvtx, reply);
  add_cuda(options, facts.clock, reply.cuda);
  add_capture_range(options.ranges, reply.capture);
  return reply;
}

base::Result<wire::StandingReply> standing_reply(const wire::Reply& reply, int arena) {
  struct stat file {};
  if (fstat(arena, &file) != 0) return base::fail_errno("cannot inspect the event buffer", errno);
  wire::StandingReply standing{};
  standing.reply = reply;
  standing.arena_device = file.st_dev;
  standing.arena_inode = file.st_ino;
  fmt::format_to_n(standing.arena, sizeof standing.arena - 1, "/proc/{}/fd/{}", getpid(), arena);
  return standing;
}

}  // namespace prof::session
