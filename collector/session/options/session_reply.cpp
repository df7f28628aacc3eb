#include "collector/session/options/session_reply.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "injection/wire/stack_records.hpp"

namespace prof::session {

namespace {

constexpr std::uint64_t kSyncFlushGapNs = 100'000'000;

// Frameworks call CUDA from deep down, cuBLASLt with more than 32 KiB in one frame; a thread's
// stack is copied no further than it reaches.
constexpr std::uint32_t kCudaStackBytes = wire::kMostStackBytes;

std::uint32_t features_of(const SessionOptions& options, const SessionFacts& facts) {
  const bool stacks = facts.copies_stacks;
  std::uint32_t features =
      (options.trace_osrt ? wire::kFeatureOsrt : 0) |
      (options.osrt_file_access ? wire::kFeatureFileAccess : 0) |
      (options.trace_nvtx ? wire::kFeatureNvtx : 0) |
      (options.trace_cuda ? wire::kFeatureCuda : 0) |
      (options.ranges.enabled ? wire::kFeatureCaptureRange : 0) |
      (options.repair_environment ? wire::kFeatureRepairEnvironment : 0) |
      (options.python_cuda_chains ? wire::kFeaturePythonCuda : 0) |
      (options.python_osrt_chains ? wire::kFeaturePythonOsrt : 0) |
      (options.python_frequency != 0 ? wire::kFeaturePythonSampling : 0) |
      (stacks && options.stacks.osrt ? wire::kFeatureOsrtStacks : 0) |
      (stacks && options.stacks.cuda() ? wire::kFeatureCudaStacks : 0) |
      (options.python_gil ? wire::kFeaturePythonGil : 0) |
      (options.python_annotations.empty() ? 0 : wire::kFeaturePythonAnnotations) |
      (facts.sample_period != 0 ? wire::kFeatureCpuSampling : 0) |
      (options.trace_forks ? wire::kFeatureForks : 0);
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
    if ((options.libraries >> i & 1) != 0) features |= wire::library_feature(i);
  return features;
}

void add_domain_filter(const SessionOptions& options, wire::Reply& reply) {
  reply.nvtx_filter = options.nvtx_filter;
  for (const std::string& domain : options.nvtx_domains) {
    const std::size_t bytes = domain.size() + 1;
    if (reply.nvtx_domain_bytes + bytes > sizeof reply.nvtx_domains) break;
    std::memcpy(reply.nvtx_domains + reply.nvtx_domain_bytes, domain.c_str(), bytes);
    reply.nvtx_domain_bytes += static_cast<std::uint32_t>(bytes);
  }
}

}  // namespace

wire::Reply reply_of(const SessionOptions& options, const SessionFacts& facts) {
  const auto ticks = [&](std::uint64_t nanoseconds) {
    return static_cast<std::uint64_t>(static_cast<double>(nanoseconds) * facts.tick_rate / 1e9);
  };
  wire::Reply reply{};
  reply.magic = wire::kHandshakeMagic;
  reply.version = wire::kWireVersion;
  reply.status = wire::ReplyStatus::kTrace;
  reply.features = features_of(options, facts);
  reply.clock = facts.use_tsc ? wire::ClockSource::kTsc : wire::ClockSource::kMonotonicRaw;
  reply.small_chunks = facts.chunks.small;
  reply.large_chunks = facts.chunks.large;
  reply.osrt_threshold = ticks(options.osrt_threshold_ns);
  reply.osrt_chain_threshold = ticks(options.osrt_chain_threshold_ns);
  reply.osrt_stack_bytes = options.stacks.osrt_bytes;
  reply.sample_period = facts.sample_period;
  reply.sample_stack_bytes = options.cpu.copied_stack_bytes();
  reply.capture = options.ranges.config;
  reply.cuda = options.cuda;
  reply.cuda.stack_bytes = kCudaStackBytes;
  for (std::size_t i = 0; i < wire::kCudaCallKinds; ++i) {
    const auto& threshold = options.stacks.cuda_thresholds_ns[i];
    reply.cuda.stack_thresholds[i] = threshold ? ticks(*threshold) : ~std::uint64_t{0};
  }
  reply.cuda.sync_flush_gap = ticks(kSyncFlushGapNs);
  add_domain_filter(options, reply);
  return reply;
}

base::Result<wire::StandingReply> standing_reply(const wire::Reply& reply, int arena) {
  struct stat file {};
  if (fstat(arena, &file) != 0) return base::fail_errno("cannot look at the event buffer", errno);
  wire::StandingReply standing{};
  standing.reply = reply;
  standing.arena_device = file.st_dev;
  standing.arena_inode = file.st_ino;
  fmt::format_to_n(standing.arena, sizeof standing.arena - 1, "/proc/{}/fd/{}", getpid(), arena);
  return standing;
}

}  // namespace prof::session
