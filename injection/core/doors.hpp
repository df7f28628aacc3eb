// The doors between the mechanisms (osrt, process, nvtx, cuda, libraries, python, sampler).
//
// Mechanisms never include each other. Where one needs another, it calls a door, and this header
// has all of them. For each door it says who implements it, who calls it, on which thread, and
// what the implementation may do.
//
// Two kinds exist. Doors that a mechanism opens at run time are members of g_doors: as long as a
// door is closed, calling it does nothing. Doors that are always open are plain functions, declared
// at the end and defined by the mechanism.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/wire/cuda_records.hpp"

namespace prof::core {

struct ThreadState;

// One pointer. A call costs a load and an indirect call; no lock. Fork children inherit it.
template <class... Arguments>
class Door {
 public:
  void open(void (*function)(Arguments...)) {
    function_.store(function, std::memory_order_release);
  }
  void operator()(Arguments... arguments) const {
    if (const auto function = function_.load(std::memory_order_acquire)) function(arguments...);
  }

 private:
  std::atomic<void (*)(Arguments...)> function_;
};

// Memory whose condition variables are watched. Written once, by a constructor.
struct ConditionWatch {
  std::uintptr_t begin;
  std::size_t bytes;                       // 0: nothing is watched
  void (*waits)(const void* condition);    // a timed wait begins
  void (*signals)(const void* condition);  // threads that wait are woken
};

struct Doors {
  // Fetches the records that CUPTI still holds, because the process image ends now.
  // Implemented by cuda. Called by process: before _exit, _Exit, quick_exit and every exec, on the
  // calling thread. May block until the records are there, at most as long as the session allows,
  // and may start a thread. Comes more than once, and in fork and vfork children: the
  // implementation has to notice that.
  Door<> before_exit;

  // Fetches the records that CUPTI holds of a capture range.
  // Implemented by cuda. Called by record/capture: just before recording begins (what is older is
  // then dropped) and just before it ends, on the thread that begins or ends the range. May block.
  Door<> flush_capture;

  // Names a CUDA context or stream. `handle` is CUDA's, `name` a string hash.
  // Implemented by cuda. Called by record/cuda_names for nvtx, on the thread that names the object.
  // May call CUPTI and the driver, and record. Also comes in fork children, where the
  // implementation has to do nothing.
  Door<wire::CudaObject, std::uintptr_t, std::uint64_t> name_cuda_object;

  // Records the calling thread's Python call chain as that of the call that began at `start`.
  // Implemented by python. Called by record/call for osrt, and by cuda, on the thread of the call
  // and just before its record. Has to be async-signal-safe and to keep errno.
  Door<std::uint64_t> record_python_chain;

  // Looks again for a Python interpreter: the program may have loaded one since the last time.
  // Implemented by python. Called by cuda in cuInit. May take the loader's lock.
  Door<> find_python;

  // The interpreter's lock (GIL) is made of condition variables in memory of the interpreter.
  // Implemented by python. Called by osrt, on the thread that waits or signals and before the real
  // function. May record. See is_watched().
  ConditionWatch condition_watch;

  // A thread is about to write its first record, in this process or after a fork; or it may record
  // again after share_state(). It has ended, or its state is shared from now on. All three have to
  // be async-signal-safe and to keep errno.
  // Implemented by sampler. The first two are called by record, on that thread.
  Door<ThreadState&> thread_begins;
  Door<ThreadState&> thread_ends;
  // The program is about to forbid system calls. Called by process, on the thread that does so.
  Door<> stop_sampling;
};
extern Doors g_doors;

inline bool is_watched(const void* condition) {
  return reinterpret_cast<std::uintptr_t>(condition) - g_doors.condition_watch.begin <
         g_doors.condition_watch.bytes;
}

// --- always open

// Resolves the real symbols and joins the session: the first call does it, later ones return at
// once. Defined in startup/entry.cpp. Called by our constructor, or by symbols, if another
// library's constructor runs before ours and calls a wrapped function; on the thread that loads
// libraries. May make system calls and wait for the collector's answer.
void load_once(char** environment);

// The constructors of the library run. They never do in a child that was forked while dlopen ran in
// its parent: prof attach leaves that alone. Defined in attach/entry.cpp. Called by startup. Null
// in unit tests.
[[gnu::weak]] void mark_loaded();

// Joins a session in a program that runs (prof attach). Defined in startup/entry.cpp. Called by
// attach, on a thread of ours. False if that is not possible.
bool join_late(const char* session);

// The program was attached to, or is about to be let go. What each mechanism does then: it looks at
// what the program has loaded, and forgets what earlier sessions know. Called by attach, on a
// thread of ours that holds no lock. attach_nvtx() is also called when the program has loaded a
// library, on its thread. Defined in nvtx/clients/late.cpp, python/chains.cpp and cuda/late.cpp.
std::uint64_t attach_nvtx(bool is_first);  // returns how many function tables lead to prof
void detach_nvtx();
void attach_python();
// Null if prof was built without CUDA.
[[gnu::weak]] void attach_cuda(bool is_first);
[[gnu::weak]] void detach_cuda();

// NVTX ranges of the calling thread, inside of which others of the same domain may be. Defined in
// nvtx/ranges.cpp, because nvtx knows domains, their filter and the range that begins a capture.
// Called by python, on the thread that the range belongs to. May record, and begin or end a capture
// range.
struct RangeKind {
  const void* domain;   // from range_domain()
  std::uint64_t text;   // from intern()
  std::uint32_t color;  // ARGB; 0: none
};
void push_range(const RangeKind& kind);
void pop_range(const void* domain);

// A domain's handle. The same for the same name, in fork children too.
const void* range_domain(const char* name);

}  // namespace prof::core
