// NVTX in a program that prof attaches to. Every object that uses NVTX has a separate table of
// function pointers, `nvtxGlobals`, and may already have looked for a tool and found none. The
// table has no name that could be looked up. But it begins with two tables for tools, whose sizes,
// version and function pointers are recognised by their values in the object's variables. One of
// these function pointers is get_module_function_table, which an injection library needs. A client
// that has not looked for a tool yet finds prof when it does (attach/loading.cpp).
#include <link.h>

#include <atomic>
#include <cstring>

#include "injection/core/doors.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/process_lock.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/strings.hpp"
#include "injection/core/symbols/object_walk.hpp"
#include "injection/nvtx/capture/trigger.hpp"
#include "injection/nvtx/clients/clients.hpp"
#include "injection/nvtx/clients/extensions.hpp"
#include "injection/nvtx/clients/globals.hpp"
#include "injection/nvtx/clients/registered_strings.hpp"
#include "injection/nvtx/domains.hpp"
#include "injection/nvtx/traced.hpp"

namespace prof::nvtx {

namespace {

// A pointer of a client that now leads to prof.
struct Replaced {
  FunctionPointer* place;
  FunctionPointer original;
  FunctionPointer ours;
  Globals* globals;
  bool was_fresh;  // the original function looks for a tool, once
};
constexpr std::size_t kMaxReplaced = 16384;
constinit core::LazyArray<Replaced, kMaxReplaced> g_replaced;
std::size_t g_replaced_count;                   // used by one thread at a time
constinit core::ProcessLock g_replaced_busy{};  // held by the thread that uses the table
std::atomic<std::uint64_t> g_tables;

Globals* g_current;  // the table whose pointers are being changed
bool g_current_is_fresh;

Range code_of(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0)
      return {object.dlpi_addr + part.p_vaddr, object.dlpi_addr + part.p_vaddr + part.p_memsz};
  }
  return {0, 0};
}

bool is_globals(const Globals& at, const Range& code) {
  return has_layout(at) && code.has(at.callbacks.get_module_function_table) &&
         code.has(at.set_injection_version);
}

bool replace_pointer(FunctionPointer* place, FunctionPointer function) {
  if (*place == function) return true;
  Replaced* const all = g_replaced.get();
  if (all == nullptr || g_replaced_count == kMaxReplaced) return false;
  all[g_replaced_count++] = {place, *place, function, g_current, g_current_is_fresh};
  // Release: a thread that calls the function also sees the data that it uses.
  std::atomic_ref(*place).store(function, std::memory_order_release);
  return true;
}

void attach_to(Globals& globals) {
  const std::uint32_t state = globals.init_state.load(std::memory_order_acquire);
  if (state == kStarted) return;
  g_current = &globals;
  g_current_is_fresh = state == kFresh;
  give_functions(globals.callbacks, replace_pointer);
  g_tables.fetch_add(1, std::memory_order_relaxed);
}

// The search in each object.
struct Search {
  bool is_first;                   // since prof attached
  std::uint64_t asked_before = 0;  // number of extensions that do not ask for a tool again
};

// Searches an object. The loader's lock is held, so nothing is unmapped.
int look_into(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const Range code = code_of(*object);
  const std::uint64_t tables_before = g_tables.load(std::memory_order_relaxed);
  constexpr bool kInitialised = true;
  for_each_range_of_variables(
      *object,
      [&](const Range& variables) {
        for (std::uintptr_t at = variables.begin; at + sizeof(Globals) <= variables.end;
             at += alignof(Globals)) {
          auto& globals = *reinterpret_cast<Globals*>(at);
          if (globals.callbacks.struct_size == sizeof(ExportCallbacks) && is_globals(globals, code))
            attach_to(globals);
        }
      },
      kInitialised);
  if (search.is_first && g_tables.load(std::memory_order_relaxed) != tables_before)
    search.asked_before += attach_extensions(*object);
  return 0;
}

// Returns the pointer to restore. A pointer to the function that looks for a tool must not be
// restored after the search: the function would call itself.
FunctionPointer original_of(const Replaced& each) {
  if (!each.was_fresh) return each.original;
  return each.globals->init_state.load(std::memory_order_acquire) == kFresh ? each.original
                                                                            : nullptr;
}

int restore(dl_phdr_info* object, std::size_t, void*) {
  Replaced* const all = g_replaced.get_if_used();
  for_each_range_of_variables(*object, [all](const Range& variables) {
    for (std::size_t each = 0; each < g_replaced_count; ++each)
      if (variables.has(all[each].place) && *all[each].place == all[each].ours)
        std::atomic_ref(*all[each].place).store(original_of(all[each]), std::memory_order_release);
  });
  return 0;
}

void report_closed_extensions() {
  core::report_each(
      wire::DiagnosticCode::kRemark,
      core::intern(
          "NVTX payloads, counters and nvtxDomainIsEnabled asked for a tool before prof was "
          "attached, and do not ask again. Their events are missing, and all events of "
          "Python's nvtx from version 0.2.12 on. prof launch and prof start record them."));
}

}  // namespace

bool replace_at_start(FunctionPointer* place, FunctionPointer function) {
  // In a program that prof attached to, the pointer is null after the detach. This thread may hold
  // the loader's lock, for which the thread that holds g_replaced_busy may wait, so this thread
  // does not wait.
  if (core::g_process.loaded_late && *place != function && g_replaced_busy.try_lock()) {
    Replaced* const all = g_replaced.get();
    if (all != nullptr && g_replaced_count < kMaxReplaced)
      all[g_replaced_count++] = {place, nullptr, function, nullptr, false};
    g_replaced_busy.unlock();
  }
  *place = function;
  return true;
}

}  // namespace prof::nvtx

namespace prof::core {

std::uint64_t attach_nvtx(bool is_first) {
  using namespace prof::nvtx;
  if (!traced() || !g_replaced_busy.try_lock()) return g_tables.load();
  g_tables.store(0);
  if (is_first) {
    g_replaced_count = 0;
    apply_domain_filter();
    prepare_trigger();
    resend_domains();
    resend_strings();
  }
  Search search{is_first};
  walk_objects(look_into, &search);
  g_replaced_busy.unlock();
  if (search.asked_before != 0) report_closed_extensions();
  return g_tables.load();
}

void detach_nvtx() {
  using namespace prof::nvtx;
  const ProcessLockGuard lock(g_replaced_busy);
  if (g_replaced.get_if_used() != nullptr) walk_objects(restore, nullptr);
  detach_extensions();
  g_replaced_count = 0;
  g_tables.store(0);
}

}  // namespace prof::core
