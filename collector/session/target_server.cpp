#include "collector/session/target_server.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>

#include "collector/ingest/clock_model.hpp"

namespace prof::session {

using base::UniqueFd;

namespace {

constexpr std::uint64_t kSyncFlushGapNs = 100'000'000;
constexpr ingest::ChunkCounts kPrepared{8192, 512};  // 64 MiB: got ready while the target starts

constexpr std::pair<wire::DropCause, const char*> kDropNames[] = {
    {wire::DropCause::kNoChunk, "no_chunk"},
    {wire::DropCause::kReentered, "reentered"},
    {wire::DropCause::kThreadGone, "thread_gone"},
    {wire::DropCause::kTooLarge, "too_large"},
    {wire::DropCause::kConnecting, "connecting"},
    {wire::DropCause::kCuptiBuffers, "cupti_buffers"}};

}  // namespace

TargetServer::TargetServer(const SessionOptions& options, ControlServer control,
                           ingest::Arena arena, Recorder& recorder, const EventLoop& loop,
                           bool use_tsc, double tick_rate)
    : options_(options),
      control_(std::move(control)),
      arena_(std::move(arena)),
      reader_(arena_),
      recorder_(recorder),
      loop_(loop),
      use_tsc_(use_tsc),
      tick_rate_(tick_rate) {
  arena_.header()->captures_left.store(options.ranges.count, std::memory_order_release);
  loop_.watch(control_.listener());
  loop_.watch(control_.pipe());
  if (options.python_frequency != 0)
    python_sampler_ =
        std::make_unique<python::Sampler>(*arena_.header(), options.python_frequency, use_tsc);
}

bool TargetServer::handle(int fd) {
  if (fd == control_.listener()) {
    accept();
  } else if (fd == control_.pipe()) {
    urgent_ |= control_.take_announcements();
  } else if (const auto found = connections_.find(fd); found != connections_.end()) {
    UniqueFd connection = std::move(found->second);
    connections_.erase(found);
    greet(std::move(connection));
  } else if (const pid_t pid = processes_.owner_of(fd); pid != 0) {
    end(processes_.take(pid));
  } else {
    return false;
  }
  return true;
}

void TargetServer::accept() {
  while (UniqueFd connection = control_.accept()) {
    loop_.watch(connection.get());
    const int number = connection.get();
    connections_[number] = std::move(connection);
  }
}

void TargetServer::greet(UniqueFd connection) {
  const auto introduction = ControlServer::receive(std::move(connection));
  if (!introduction) return;
  const wire::Hello& hello = introduction->hello;
  if (hello.version != wire::kWireVersion) return refuse(*introduction);
  const pid_t pid = introduction->pid != 0 ? introduction->pid : hello.pid;
  const bool forked = hello.kind == wire::ProcessKind::kFork;
  if (!forked) end(processes_.take(pid));  // an exec: the image before it is gone
  const LiveProcess& process = processes_.add(pid);
  if (process.pidfd) loop_.watch(process.pidfd.get());
  const std::string name = process_name(pid);
  spdlog::debug("process {} joined as {} ({}): {}", pid, process.serial, forked ? "fork" : "start",
                name);
  recorder_.note({{"type", "process"},
                  {"serial", process.serial},
                  {"parent_serial", forked ? hello.parent_serial : 0},
                  {"pid", pid},
                  {"own_pid", hello.pid},
                  {"ppid", hello.ppid},
                  {"time", use_tsc_ ? hello.time : ingest::read_clocks(false).ticks},
                  {"name", name}});
  if (python_sampler_ != nullptr) {
    arena_.header()->slots[process.slot].python_runtime.store(0, std::memory_order_relaxed);
    python_sampler_->add(process.serial, process.slot, pid, forked ? hello.parent_serial : 0);
  }
  ControlServer::reply(*introduction, reply_for(process), forked ? -1 : arena_.fd());
}

void TargetServer::refuse(const Introduction& introduction) {
  wire::Reply refusal{};
  refusal.magic = wire::kHandshakeMagic;
  refusal.version = wire::kWireVersion;
  refusal.status = wire::ReplyStatus::kWrongVersion;
  ControlServer::reply(introduction, refusal, -1);
  recorder_.diagnostic(2,
                       "A process loaded another version of libprof_inject.so and is not traced.");
}

wire::Reply TargetServer::reply_for(const LiveProcess& process) const {
  wire::Reply reply{};
  reply.magic = wire::kHandshakeMagic;
  reply.version = wire::kWireVersion;
  reply.status = wire::ReplyStatus::kTrace;
  reply.features = (options_.trace_osrt ? wire::kFeatureOsrt : 0) |
                   (options_.trace_nvtx ? wire::kFeatureNvtx : 0) |
                   (options_.trace_cuda ? wire::kFeatureCuda : 0) |
                   (options_.ranges.enabled ? wire::kFeatureCaptureRange : 0) |
                   (options_.python_cuda_chains ? wire::kFeaturePythonCuda : 0) |
                   (options_.python_osrt_chains ? wire::kFeaturePythonOsrt : 0) |
                   (python_sampler_ != nullptr ? wire::kFeaturePythonSampling : 0) |
                   (options_.repair_environment ? wire::kFeatureRepairEnvironment : 0);
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
    if ((options_.libraries >> i & 1) != 0) reply.features |= wire::library_feature(i);
  reply.clock = use_tsc_ ? wire::ClockSource::kTsc : wire::ClockSource::kMonotonicRaw;
  reply.serial = process.serial;
  reply.slot = process.slot;
  reply.large_chunks = arena_.max().large;
  reply.osrt_threshold = ticks(options_.osrt_threshold_ns);
  reply.osrt_chain_threshold = ticks(options_.osrt_chain_threshold_ns);
  reply.capture = options_.ranges.config;
  reply.cuda = options_.cuda;
  reply.cuda.sync_flush_gap = ticks(kSyncFlushGapNs);
  add_domain_filter(reply);
  return reply;
}

std::uint64_t TargetServer::ticks(std::uint64_t nanoseconds) const {
  return static_cast<std::uint64_t>(static_cast<double>(nanoseconds) * tick_rate_ / 1e9);
}

void TargetServer::add_domain_filter(wire::Reply& reply) const {
  reply.nvtx_filter = options_.nvtx_filter;
  for (const std::string& domain : options_.nvtx_domains) {
    const std::size_t bytes = domain.size() + 1;
    if (reply.nvtx_domain_bytes + bytes > sizeof reply.nvtx_domains) break;
    std::memcpy(reply.nvtx_domains + reply.nvtx_domain_bytes, domain.c_str(), bytes);
    reply.nvtx_domain_bytes += static_cast<std::uint32_t>(bytes);
  }
}

// They write no more.
void TargetServer::end(std::vector<LiveProcess> images) {
  for (LiveProcess& image : images) {
    reader_.mark_dead(image.serial);
    if (python_sampler_ != nullptr) python_sampler_->remove(image.serial);
    ended_.push_back(std::move(image));
  }
}

void TargetServer::poll() {
  end(processes_.take_vanished());
  close_books();
}

// Takes last records and counters: of all that have ended by now in one go, as a thousand may.
void TargetServer::close_books() {
  if (ended_.empty()) return;
  drain();
  for (const LiveProcess& image : ended_) {
    spdlog::debug("process {} ended as {}", image.pid, image.serial);
    recorder_.note(
        {{"type", "process_end"}, {"serial", image.serial}, {"dropped", take_drops(image.slot)}});
    processes_.release(image);
  }
  ended_.clear();
}

nlohmann::json TargetServer::take_drops(std::uint32_t slot) {
  nlohmann::json drops = nlohmann::json::object();
  for (const auto& [cause, name] : kDropNames) {
    auto& counter = arena_.header()->slots[slot].dropped[static_cast<std::size_t>(cause)];
    if (const std::uint64_t count = counter.exchange(0, std::memory_order_relaxed); count > 0)
      drops[name] = count;
  }
  return drops;
}

bool TargetServer::captures_are_over() const {
  const wire::ArenaHeader& arena = *arena_.header();
  return options_.ranges.enabled && arena.captures_left.load(std::memory_order_acquire) == 0 &&
         arena.capture.load(std::memory_order_acquire) == wire::kWaiting;
}

std::uint64_t TargetServer::drain() {
  urgent_ = false;
  arena_.header()->drain_requested.store(0, std::memory_order_relaxed);
  const auto drained =
      reader_.drain([this](const ingest::PieceHeader& piece, std::span<const std::byte> bytes) {
        return recorder_.records(piece, bytes);
      });
  take_python_samples();
  if (!drained) return 0;
  make_room(drained->owned);
  return drained->bytes;
}

void TargetServer::make_room(const ingest::ChunkCounts& owned) {
  for (const auto size : {wire::ChunkSize::kSmall, wire::ChunkSize::kLarge}) {
    const std::uint32_t before = arena_.backed()[size];
    // Ahead of a burst of threads; a step at a time, as each takes some milliseconds.
    if (before < std::min(kPrepared[size], arena_.max()[size] / 4)) arena_.grow(size);
    // Threads ask for attention from the first quarter on (injection/core/ring_writer.cpp).
    while (owned[size] * 4 > arena_.backed()[size] && arena_.grow(size)) {
    }
    if (arena_.backed()[size] != before)
      spdlog::debug("event buffer: {} of {} chunks of {} KiB in use, now {} backed", owned[size],
                    before, wire::chunk_bytes(size) / 1024, arena_.backed()[size]);
  }
}

void TargetServer::take_python_samples() {
  if (python_sampler_ == nullptr) return;
  python_sampler_->drain(
      [this](const ingest::PieceHeader& piece, std::span<const std::byte> bytes) {
        recorder_.records(piece, bytes);
      });
}

void TargetServer::report_python_sampling() {
  if (python_sampler_ == nullptr) return;
  const python::Sampler::Outcome outcome = python_sampler_->stop();
  recorder_.diagnostic(1,
                       fmt::format("Python samples: {} taken ({} of them as a function was called "
                                   "or left), {} of idle threads left out, {} not taken as the "
                                   "stack changed meanwhile, {} moments missed.",
                                   outcome.counts.taken, outcome.counts.moved, outcome.counts.idle,
                                   outcome.counts.torn, outcome.late));
  if (outcome.refused == 0) return;
  const std::string text = fmt::format(
      "Python is not sampled: reading the program's memory is refused (process_vm_readv: {}). It "
      "takes "
      "CAP_SYS_PTRACE, or /proc/sys/kernel/yama/ptrace_scope of 1 or less and a program that may "
      "be debugged.",
      strerror(outcome.refused));
  spdlog::warn("{}", text);
  recorder_.diagnostic(2, text);
}

void TargetServer::close() {
  arena_.close_recording();
  end(processes_.take_all());
  close_books();
  drain();
  report_python_sampling();
  if (const auto failed = arena_.header()->failed_handshakes.load(); failed > 0)
    recorder_.diagnostic(
        2, std::to_string(failed) + " forked processes could not reach the profiler.");
  if (reader_.corrupt_chunks() > 0)
    recorder_.diagnostic(3,
                         std::to_string(reader_.corrupt_chunks()) + " event buffers were damaged.");
}

}  // namespace prof::session
