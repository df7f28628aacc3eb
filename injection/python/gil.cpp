// The global interpreter lock is a flag with a mutex and two condition variables, all within
// _PyRuntime. An interpreter may have a lock elsewhere; prof does not trace that one. All versions
// do this, with the mutex held:
//
//  take   while it is locked: pthread_cond_timedwait(cond, 5 ms); locked = 1;
//         pthread_cond_signal(switch_cond)
//  drop   locked = 0; pthread_cond_signal(cond)
//
// Python calls these functions in libc, so our wrappers see each take, drop and wait when it
// happens. `cond` has a lower address than `switch_cond`, and a thread that takes the lock for the
// first time signals `switch_cond`. So no offset has to be known.
#include "injection/python/gil.hpp"

#include <atomic>

#include "injection/core/doors.hpp"
#include "injection/core/foreign_threads.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/symbols/loader.hpp"

namespace prof::python {

namespace {

core::RangeKind g_waiting;
core::RangeKind g_holding;
std::atomic<std::uintptr_t> g_switch_condition;  // the highest signalled address

enum State : std::uint8_t { kElsewhere, kWaiting, kHolding };

void take() {
  if (core::t_state.gil == kWaiting) core::pop_range(g_waiting.domain);
  // A fork child takes the lock again. Whether its parent held the lock does not matter there.
  core::push_range(g_holding);
  core::t_state.gil = kHolding;
}

void drop() {
  if (core::t_state.gil == kHolding) core::pop_range(g_holding.domain);
  core::t_state.gil = kElsewhere;
}

// Called at each wait. Consecutive waits of 5 ms each count as one.
void on_wait(const void*) {
  if (core::is_foreign_thread() || core::t_state.gil == kWaiting) return;
  core::t_state.gil = kWaiting;
  core::push_range(g_waiting);
}

void on_signal(const void* condition) {
  if (core::is_foreign_thread()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(condition);
  const std::uintptr_t known = g_switch_condition.load(std::memory_order_relaxed);
  if (address < known) return drop();
  if (address > known) g_switch_condition.store(address, std::memory_order_relaxed);
  take();
}

// Returns the size of an object. Uses dladdr1 only if it exists, because only glibc has it.
std::size_t size_of(const void* object) {
  using Find = int (*)(const void*, Dl_info*, void**, int);
  const auto find = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "dladdr1"));
  Dl_info info{};
  const ElfW(Sym)* symbol = nullptr;
  if (find == nullptr ||
      find(object, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)),
           RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr || info.dli_saddr != object)
    return 0;
  return symbol->st_size;
}

}  // namespace

void watch_gil() {
  const void* runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
  if (runtime == nullptr) return;
  const void* domain = core::range_domain("Python GIL");
  g_waiting = {domain, core::intern("Waiting for GIL"), 0xFFD62728};
  g_holding = {domain, core::intern("Holding GIL"), 0xFF2CA02C};
  core::g_doors.condition_watch = {reinterpret_cast<std::uintptr_t>(runtime), size_of(runtime),
                                   on_wait, on_signal};
  if (core::g_doors.condition_watch.bytes != 0) return;
  constexpr char kUnseen[] = "The lock of this Python interpreter cannot be watched.";
  core::report_each(wire::DiagnosticCode::kRemark, core::intern(kUnseen, sizeof kUnseen - 1));
}

}  // namespace prof::python
