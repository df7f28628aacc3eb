#include "injection/nvtx/clients/idle_slots.hpp"

#include <linux/futex.h>

#include <atomic>
#include <cstring>

#include "injection/core/clock.hpp"
#include "injection/core/doors.hpp"
#include "injection/core/lazy_array.hpp"
#include "injection/core/live.hpp"
#include "injection/core/own_thread.hpp"
#include "injection/core/process_lock.hpp"
#include "injection/core/single_threaded.hpp"
#include "injection/core/symbols/object_walk.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/nvtx/clients/globals.hpp"
#include "injection/nvtx/readable.hpp"

namespace prof::nvtx {

namespace {

constexpr std::size_t kMostOfClient = 24;
constexpr std::size_t kMostClients = 512;

// A client that has started. It may have been unloaded since then.
struct Client {
  Globals* globals;
  decltype(ExportCallbacks::get_module_function_table) get_table;  // tells it from a later one
  std::size_t count;
  IdleSlot slots[kMostOfClient];
};
constinit core::LazyArray<Client, kMostClients> g_clients;
std::size_t g_count;
bool g_are_in;                         // prof's functions are
constinit core::ProcessLock g_busy{};  // held by the thread that uses these three

std::atomic<std::int32_t> g_follower;  // the process whose thread follows the collector; 0: none

std::uint32_t edges() {
  // Acquire pairs with the collector's release.
  return core::g_process.arena->collection_edges.load(std::memory_order_acquire);
}

// Release pairs with the collector's acquire: the pointers are as this edge wants them.
void announce(std::uint32_t seen) {
  core::own_slot().nvtx_edges.store(seen + 1, std::memory_order_release);
}

bool is_still_there(const Client& client) {
  return has_layout(*client.globals) &&
         client.globals->callbacks.get_module_function_table == client.get_table;
}

// Release: a thread that calls the function sees what it uses. What somebody else has put there
// stays.
void set(const IdleSlot& slot, bool in) {
  FunctionPointer expected = in ? nullptr : slot.function;
  std::atomic_ref(*slot.place)
      .compare_exchange_strong(expected, in ? slot.function : nullptr, std::memory_order_release,
                               std::memory_order_relaxed);
}

void set_all(const Client& client, bool in) {
  for (std::size_t i = 0; i < client.count; ++i) set(client.slots[i], in);
}

// The loader's lock is held, so nothing is unmapped.
int set_in_object(dl_phdr_info* object, std::size_t, void* in) {
  const Client* const clients = g_clients.get_if_used();
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (!is_of_variables(part)) continue;
    const Range range{object->dlpi_addr + part.p_vaddr,
                      object->dlpi_addr + part.p_vaddr + part.p_memsz};
    for (std::size_t each = 0; each < g_count; ++each)
      if (range.has(clients[each].globals) && is_still_there(clients[each]))
        set_all(clients[each], *static_cast<bool*>(in));
  }
  return 0;
}

// Follows the collector until there is no change.
std::uint32_t follow() {
  for (;;) {
    const std::uint32_t seen = edges();
    bool wanted = seen % 2 != 0;
    {
      const core::ProcessLockGuard lock(g_busy);
      if (wanted != g_are_in) core::walk_objects(set_in_object, &wanted);
      g_are_in = wanted;
    }
    announce(seen);
    if (edges() == seen) return seen;
  }
}

void* follow_forever(void* name) {
  core::begin_own_thread(name);
  for (;;) {
    const std::uint32_t seen = follow();
    core::sys::call(SYS_futex, core::sys::pointer(&core::g_process.arena->collection_edges),
                    FUTEX_WAIT, seen, 0);
  }
  return nullptr;
}

// A fork child has no such thread. Its clients get prof's functions for good: those look whether
// somebody collects. No lock of libc or of the loader may be taken here.
void put_in_after_fork() {
  const std::int32_t follower = g_follower.load(std::memory_order_relaxed);
  if (follower == 0 || follower == core::sys::getpid()) return;
  g_follower.store(0, std::memory_order_relaxed);
  const Client* const clients = g_clients.get_if_used();
  const std::uint64_t now = core::now();
  const auto is_readable = [now](const void* address, std::size_t size) {
    return readable_bytes(address, size, now) == size;
  };
  for (std::size_t i = 0; clients != nullptr && i < g_count; ++i)
    if (is_readable(clients[i].globals, sizeof(Globals)) && is_still_there(clients[i]) &&
        is_readable(clients[i].slots[0].place, sizeof(FunctionPointer)))
      set_all(clients[i], true);
}

// All clients have prof's functions, and the thread changes that if nobody collects.
bool start_following() {
  if (g_follower.load(std::memory_order_relaxed) == core::sys::getpid()) return true;
  // A fork child that has not joined the session has no place yet in which it could answer.
  if (core::live_word() < wire::kFirstSerial ||
      core::g_process.sandboxed.load(std::memory_order_relaxed))
    return false;
  core::make_forks_wait_for_walks();
  g_are_in = true;
  announce(edges());
  core::g_doors.in_fork_child.open(put_in_after_fork);
  g_follower.store(core::sys::getpid(), std::memory_order_relaxed);
  if (core::start_own_thread(follow_forever, "prof-nvtx")) return true;
  g_follower.store(0, std::memory_order_relaxed);
  core::own_slot().nvtx_edges.store(0, std::memory_order_release);
  return false;
}

// libc's locks and memory cost more in a process with two threads, so there is no thread of ours
// before the program has a second one.
void follow_with_second_thread() {
  if (g_follower.load(std::memory_order_relaxed) == core::sys::getpid()) return;  // ours is created
  const core::ProcessLockGuard lock(g_busy);
  static_cast<void>(start_following());
}

// The entry of a client that was at the same place, or a new one. Null: there is no room.
Client* entry_of(const Globals* globals) {
  Client* const clients = g_clients.get();
  if (clients == nullptr) return nullptr;
  for (std::size_t i = 0; i < g_count; ++i)
    if (clients[i].globals == globals) return &clients[i];
  return g_count < kMostClients ? &clients[g_count++] : nullptr;
}

}  // namespace

void follow_collections(const ExportCallbacks& callbacks, const IdleSlot* slots,
                        std::size_t count) {
  Globals* const globals = globals_of(callbacks);
  if (globals == nullptr || count == 0 || count > kMostOfClient) return;
  const core::ProcessLockGuard lock(g_busy);
  Client* const client = entry_of(globals);
  if (client == nullptr) return;
  client->globals = globals;
  client->get_table = callbacks.get_module_function_table;
  client->count = count;
  std::memcpy(client->slots, slots, count * sizeof *slots);
  if (core::is_single_threaded())
    core::g_doors.second_thread.open(follow_with_second_thread);
  else if (start_following() && !g_are_in)
    set_all(*client, false);
}

}  // namespace prof::nvtx
