// Doors: the interfaces between the mechanisms (osrt, process, nvtx, cuda, libraries, python,
// sampler).
//
// Mechanisms never include each other. A mechanism that needs another one calls a door, and this
// header has all of them. The comment of each door says who implements it, who calls it, on which
// thread, and what the implementation may do.
//
// There are two kinds of doors. The members of g_doors are opened by a mechanism at run time: as
// long as a door is closed, calling it does nothing. The functions at the end are always open; the
// mechanism defines them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/wire/cuda_records.hpp"

namespace prof::core {

struct ThreadState;

// A door is one pointer. A call costs a load and an indirect call, without a lock. Fork children
// inherit the pointer.
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

// The memory whose condition variables are watched. A constructor writes it once.
struct ConditionWatch {
  std::uintptr_t begin;
  std::size_t bytes;                       // 0: nothing is watched
  void (*waits)(const void* condition);    // a timed wait begins
  void (*signals)(const void* condition);  // waiting threads are woken
};

struct Doors {
  // Fetches the records that CUPTI still holds, because the process image ends now. Implemented by
  // cuda. Called by process: before _exit, _Exit, quick_exit and every exec, on the calling thread.
  // May block until the records are there, at most as long as the session allows, and may start a
  // thread. It is called more than once, and in fork and vfork children: the implementation has to
  // detect that.
  Door<> before_exit;

  // Fetches the records that CUPTI holds of a capture range. Implemented by cuda. Called by
  // record/capture: just before recording begins (the records until then are dropped) and just
  // before it ends, on the thread that begins or ends the range. May block.
  Door<> flush_capture;

  // Names a CUDA context or stream. `handle` is CUDA's, `name` a string hash. Implemented by cuda.
  // Called by record/cuda_names for nvtx, on the thread that names the object. May call CUPTI and
  // the driver, and record. It is also called in fork children, where the implementation has to do
  // nothing.
  Door<wire::CudaObject, std::uintptr_t, std::uint64_t> name_cuda_object;

  // Records the calling thread's Python call chain as that of the call that began at `start`.
  // Implemented by python. Called by record/call for osrt, and by cuda, on the thread of the call
  // and just before its record. Has to be async-signal-safe and to keep errno.
  Door<std::uint64_t> record_python_chain;

  // Looks again for a Python interpreter: the program may have loaded one since the last time.
  // Implemented by python. Called by cuda in cuInit. May take the loader's lock.
  Door<> find_python;

  // Watches the interpreter's lock (GIL), which consists of condition variables in memory of the
  // interpreter. Implemented by python. Called by osrt, on the thread that waits or signals and
  // before the real function. May record. See is_watched().
  ConditionWatch condition_watch;

  // thread_begins: the thread is about to write its first record, in this process or after a fork,
  // or it may record again after share_state(). thread_ends: the thread has ended, or its state is
  // shared from now on. These two and stop_sampling have to be async-signal-safe and to keep errno.
  // Implemented by sampler. These two are called by record, on that thread.
  Door<ThreadState&> thread_begins;
  Door<ThreadState&> thread_ends;
  // Reports that the program is about to forbid system calls. Called by process, on the thread that
  // forbids them.
  Door<> stop_sampling;
};
extern Doors g_doors;

inline bool is_watched(const void* condition) {
  return reinterpret_cast<std::uintptr_t>(condition) - g_doors.condition_watch.begin <
         g_doors.condition_watch.bytes;
}

// --- always open

// Resolves the real symbols and joins the session. Only the first call does so, later calls return
// at once. Defined in startup/entry.cpp. Called by our constructor, or by symbols if another
// library's constructor runs before ours and calls a wrapped function; on the thread that loads
// libraries. May make system calls and wait for the collector's answer.
void load_once(char** environment);

// Records that the constructors of the library have run. They do not run in a child that was forked
// while dlopen ran in its parent: prof attach leaves such a child alone. Defined in
// attach/entry.cpp. Called by startup. Null in unit tests.
[[gnu::weak]] void mark_loaded();

// Joins a session in a running program (prof attach). Defined in startup/entry.cpp. Called by
// attach, on a thread of prof. Returns false if that is not possible.
bool join_late(const char* session);

// These functions are called when the program was attached to, and before prof detaches from it.
// Each mechanism then examines what the program has loaded, and forgets what it has sent to earlier
// sessions. Called by attach, on a thread of prof that holds no lock. attach_nvtx() is also called
// when the program has loaded a library, on the thread that loaded it. Defined in
// nvtx/clients/late.cpp, python/chains.cpp and cuda/late.cpp.
std::uint64_t attach_nvtx(bool is_first);  // returns how many function tables lead to prof
void detach_nvtx();
void attach_python();
// This function is null if prof was built without CUDA.
[[gnu::weak]] void attach_cuda(bool is_first);
[[gnu::weak]] void detach_cuda();

// NVTX ranges of the calling thread, which may contain other ranges of the same domain. Defined in
// nvtx/ranges.cpp, because nvtx knows domains, their filter and the range that begins a capture.
// Called by python, on the thread of the range. May record, and begin or end a capture range.
struct RangeKind {
  const void* domain;   // from range_domain()
  std::uint64_t text;   // from intern()
  std::uint32_t color;  // ARGB; 0: none
};
void push_range(const RangeKind& kind, std::uint64_t payload = 0);  // payload 0: none
void pop_range(const void* domain);

// Records the open ranges of the calling thread, if the session is outside of a capture range and
// they are not recorded yet. Defined in nvtx/capture/open_ranges.cpp. Called by cuda when a node of
// a graph is made, on the thread that makes it.
void record_open_ranges();

// Fills in the open push/pop ranges of the calling thread, the outermost one first, and returns
// their number. Defined there, too. Called by cuda in sessions that profile kernels.
struct RangeAround {
  std::uint64_t domain;  // string hash of its name; 0: the default domain
  std::uint64_t text;    // string hash
};
std::size_t ranges_around(RangeAround* ranges, std::size_t room);

// Returns a domain's handle. A name always has the same handle, in fork children too.
const void* range_domain(const char* name);

}  // namespace prof::core
