// The buffers that CUPTI fills with activity records. Their number is bounded and they are never
// freed. If all are in use CUPTI gets none, drops records and counts them. CUPTI calls
// bufferRequested with one of its locks held, so that function takes no lock and does not call
// CUPTI.
#include <sys/mman.h>

#include <algorithm>

#include "injection/core/clock.hpp"
#include "injection/core/layout.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/cuda/clients/host.hpp"
#include "injection/cuda/cupti_v2.hpp"
#include "injection/cuda/scoped.hpp"
#include "injection/cuda/selected_records.hpp"
#include "injection/cuda/state.hpp"

namespace prof::cuda {

namespace {

// The size is enough for about 600 kernels. CUPTI returns a buffer when it is full, or at a flush
// when everything in it is finished. A program that keeps the GPU busy always has something
// unfinished, so the size limits how many records a kill -9 can drop.
constexpr std::size_t kBufferBytes = 128 * 1024;
constexpr std::uint32_t kBuffers = 1024;

struct Buffer {
  std::atomic<bool> used;
  std::atomic<std::uint8_t*> memory;  // null: not mapped yet
};
// Initialized explicitly: otherwise the compiler writes zeros at start, which costs five page
// faults in every process.
PROF_SELDOM constinit Buffer g_buffers[kBuffers]{};
std::atomic<bool> g_refused_buffer;  // since CUPTI last reported drops

void CUPTIAPI on_buffer_requested(std::uint8_t** memory, std::size_t* size, std::size_t* records) {
  *memory = nullptr;
  *size = 0;
  *records = 0;  // as many as fit
  for (Buffer& buffer : g_buffers) {
    if (buffer.used.load(std::memory_order_relaxed) ||
        buffer.used.exchange(true, std::memory_order_acquire))
      continue;
    std::uint8_t* bytes = buffer.memory.load(std::memory_order_relaxed);
    if (bytes == nullptr) {
      void* fresh =
          core::sys::mmap(kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
      if (core::sys::failed(fresh)) {
        buffer.used.store(false, std::memory_order_release);
        break;
      }
      bytes = static_cast<std::uint8_t*>(fresh);
      buffer.memory.store(bytes, std::memory_order_relaxed);
    }
    *memory = bytes;
    *size = kBufferBytes;
    return;
  }
  g_refused_buffer.store(true, std::memory_order_relaxed);
}

void release(const std::uint8_t* memory) {
  for (Buffer& buffer : g_buffers)
    if (buffer.memory.load(std::memory_order_relaxed) == memory)
      buffer.used.store(false, std::memory_order_release);
}

// Both functions return the reason why the last record is the last.
CUptiResult write_records(std::uint8_t* memory, std::size_t valid) {
  const bool makes_launches = are_launches_made();
  CUpti_Activity* record = nullptr;
  CUptiResult result;
  while ((result = g_cupti.cuptiActivityGetNextRecord(memory, valid, &record)) == CUPTI_SUCCESS)
    if (!makes_launches || !add_graph_node(record)) write_activity(record);
  // With selected fields most nodes are in other buffers, which say when a launch has ended.
  if (makes_launches && !are_fields_selected()) finish_graph_launches(false);
  return result;
}
CUptiResult share_records(std::uint8_t* memory, std::size_t valid) {
  const CUptiResult result = clients::deliver(memory, valid);
  finish_graph_launches(false);
  return result;
}

// Passes a buffer's records on by `write`, which returns the reason why the last record is the
// last.
template <class Write>
void complete(std::uint8_t* memory, const Write& write) {
  core::ThreadState& t = core::t_state;
  // Unless our own flush called this function, the thread is usually one of CUPTI, which must not
  // be recorded. But it can be a thread of the program inside a CUDA call, which stays recorded.
  if (!t.in_cupti && !t.calls_cuda) t.calls = core::kMuted;
  // Counters of unified memory stay on between the collections of a session.
  if (core::has_feature(wire::kFeatureDormancy) && !g_state.active.load(std::memory_order_acquire))
    return release(memory);
  const CUptiResult result = write();
  if (result != CUPTI_ERROR_MAX_LIMIT_REACHED)  // the end of the buffer
    check(CuptiFunction::k_cuptiActivityGetNextRecord, result);
  release(memory);
  std::size_t dropped = 0;
  if (g_cupti.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS &&
      dropped > 0) {
    const bool had_buffers = !g_refused_buffer.exchange(false, std::memory_order_relaxed);
    core::count_drop(had_buffers && is_timed_by_hardware() ? wire::DropCause::kHardwareTrace
                                                           : wire::DropCause::kCuptiBuffers,
                     dropped);
    if (clients::are_present()) clients::count_dropped(dropped);
  }
}

void CUPTIAPI on_buffer_completed(CUcontext, std::uint32_t, std::uint8_t* memory, std::size_t,
                                  std::size_t valid) {
  complete(memory, [&] {
    return clients::are_present() ? share_records(memory, valid) : write_records(memory, valid);
  });
}

bool enable(CUpti_ActivityKind kind) { return PROF_CUPTI(cuptiActivityEnable, kind); }

// All kinds that enable_activities() may enable. Disabling a kind that is not enabled is an error
// without consequences.
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_DEVICE,
                                         CUPTI_ACTIVITY_KIND_CONTEXT,
                                         CUPTI_ACTIVITY_KIND_STREAM,
                                         CUPTI_ACTIVITY_KIND_MEMCPY,
                                         CUPTI_ACTIVITY_KIND_MEMCPY2,
                                         CUPTI_ACTIVITY_KIND_MEMSET,
                                         CUPTI_ACTIVITY_KIND_OVERHEAD,
                                         CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
                                         CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE,
                                         CUPTI_ACTIVITY_KIND_MEMORY2,
                                         CUPTI_ACTIVITY_KIND_MEMORY_POOL,
                                         v2::kGreenContextKind,
                                         v2::kGraphHostNodeKind,
                                         v2::kHostLaunchKind,
                                         v2::kContextSwitchKind};

void enable_context_switches() {
  if (g_cupti.version < v2::kHostFunctions)
    core::report(wire::DiagnosticCode::kContextSwitchesMissing, g_cupti.version);
  else
    enable(v2::kContextSwitchKind);
}

void enable_newer_kinds() {
  if (g_cupti.version >= v2::kSubscribers) enable(v2::kGreenContextKind);
  if (g_cupti.version < v2::kHostFunctions) return;
  enable(v2::kGraphHostNodeKind);
  enable(v2::kHostLaunchKind);
}

}  // namespace

void complete_selected(CUpti_SubscriberHandle subscriber, std::uint8_t* memory, std::size_t valid,
                       const v2::BufferInfo* info) {
  complete(memory, [&] { return write_selected(subscriber, memory, valid, info); });
}

bool enable_activities() {
  const std::uint32_t flags = core::g_process.config.cuda.flags;
  if (!PROF_CUPTI(cuptiActivityRegisterCallbacks, on_buffer_requested, on_buffer_completed))
    return false;
  PROF_CUPTI(cuptiSetThreadIdType, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  // CUPTI's records of GPU work and its counters do not go together.
  if ((flags & wire::kCudaKernelProfiles) != 0)
    return enable(CUPTI_ACTIVITY_KIND_DEVICE) && enable(CUPTI_ACTIVITY_KIND_CONTEXT) &&
           enable(CUPTI_ACTIVITY_KIND_STREAM);
  // The kind KERNEL is not used, because it would serialize kernels.
  if (!enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return false;
  enable(CUPTI_ACTIVITY_KIND_DEVICE);
  enable(CUPTI_ACTIVITY_KIND_CONTEXT);
  enable(CUPTI_ACTIVITY_KIND_STREAM);
  enable(CUPTI_ACTIVITY_KIND_MEMCPY);
  enable(CUPTI_ACTIVITY_KIND_MEMCPY2);
  enable(CUPTI_ACTIVITY_KIND_MEMSET);
  enable(CUPTI_ACTIVITY_KIND_OVERHEAD);
  enable_newer_kinds();
  if ((flags & wire::kCudaContextSwitches) != 0) enable_context_switches();
  if ((flags & wire::kCudaGraphNodes) == 0) enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  if ((flags & wire::kCudaDeviceGraphs) != 0) enable(CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE);
  if ((flags & wire::kCudaMemoryUsage) != 0) {
    enable(CUPTI_ACTIVITY_KIND_MEMORY2);
    enable(CUPTI_ACTIVITY_KIND_MEMORY_POOL);
  }
  if (core::g_process.config.cuda.flush_interval != 0 &&
      g_cupti.cuptiActivityFlushPeriod != nullptr)
    PROF_CUPTI(cuptiActivityFlushPeriod, core::g_process.config.cuda.flush_interval);
  return true;
}

void disable_activities() {
  if (g_cupti.cuptiActivityDisable != nullptr)
    for (const CUpti_ActivityKind kind : kKinds) g_cupti.cuptiActivityDisable(kind);
  // A periodic flush wakes CUPTI's thread, so it is only set on request.
  if (core::g_process.config.cuda.flush_interval != 0 &&
      g_cupti.cuptiActivityFlushPeriod != nullptr)
    g_cupti.cuptiActivityFlushPeriod(0);
}

void flush_buffers(Flush what) {
  core::ThreadState& t = core::t_state;
  const bool inside = t.in_cupti;
  t.in_cupti = true;
  PROF_CUPTI(cuptiActivityFlushAll, what == Flush::kFinished ? CUPTI_ACTIVITY_FLAG_NONE
                                                             : CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (what == Flush::kForced && (clients::are_present() || are_launches_made()))
    finish_graph_launches(true);
  t.in_cupti = inside;
}

// Between the last flush and the end of the activities, threads of the program may have started
// work for which CUPTI has requested our buffers. CUPTI would fill these buffers with the records
// of the program's own profiler, which does not know the buffers and drops them: torch.profiler
// lost 28 of 28 kernels. A thread that is about to write a record keeps its buffer a little longer.
void take_back_buffers() {
  constexpr int kTries = 20;
  const auto is_out = [](const Buffer& buffer) {
    return buffer.used.load(std::memory_order_acquire);
  };
  for (int i = 0; i < kTries && std::ranges::any_of(g_buffers, is_out); ++i) {
    if (i != 0) core::sys::sleep_ns(1'000'000);
    flush_buffers(Flush::kForced);
  }
}

void flush(Flush what) {
  // A fork child has copies of its parent's records, and of CUPTI's locks, which nobody releases in
  // the child.
  if (!core::has_libc_pointer() || core::t_state.in_cupti || !is_active()) return;
  const std::uint64_t start = core::now();
  flush_buffers(what);
  core::report_overhead(wire::OverheadKind::kCudaFlush, start, core::now());
}

}  // namespace prof::cuda
