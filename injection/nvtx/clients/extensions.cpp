// A client asks for a tool when it first uses an extension. From then on the extension's slots lead
// to prof, or nowhere. prof cannot open closed slots: their table has no name, and nothing in it
// says to which extension it belongs. But prof recognises the table, so that the report says what
// is missing.
#include "injection/nvtx/clients/extensions.hpp"

#include <algorithm>

#include "injection/core/process_lock.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/symbols/object_walk.hpp"
#include "injection/nvtx/clients/clients.hpp"
#include "injection/nvtx/clients/globals.hpp"

namespace prof::nvtx {

namespace {

constexpr std::intptr_t kClosed = 1;  // a slot that leads nowhere
constexpr std::intptr_t kAsked = 3;   // the word before the slots, after a tool was looked for
constexpr std::size_t kSlots = 63;    // of each extension
constexpr std::size_t kTableBytes = (1 + kSlots) * sizeof(std::intptr_t);
// A limit that no client's variables exceed. Reading untouched variables would take memory.
constexpr std::size_t kMaxBytes = 64 << 20;

// The stored slots. A client may be unloaded, so slots are used only where they lie in an object
// and look like slots.
struct ClosedTable {
  std::intptr_t* slots;
  std::uint16_t module;
};
constexpr std::size_t kMaxTables = 256;
ClosedTable g_closed[kMaxTables];
std::size_t g_closed_count;
constinit core::ProcessLock g_closed_busy{};  // for the two variables above

bool is_closed(const std::intptr_t* slots) {
  return slots[-1] == kAsked &&
         std::all_of(slots, slots + kSlots, [](std::intptr_t slot) { return slot == kClosed; });
}

const ClosedTable* find(const std::intptr_t* slots) {
  const ClosedTable* const begin = g_closed;
  const ClosedTable* const end = begin + g_closed_count;
  const ClosedTable* const found =
      std::find_if(begin, end, [=](const ClosedTable& each) { return each.slots == slots; });
  return found != end ? found : nullptr;
}

// Opens stored slots. Returns how many closed tables stay closed.
std::uint64_t open_kept(const Range& variables) {
  std::uint64_t closed = 0;
  for (std::uintptr_t at = variables.begin; at + kTableBytes <= variables.end; at += sizeof at) {
    auto* const slots = reinterpret_cast<std::intptr_t*>(at) + 1;
    if (!is_closed(slots)) continue;
    if (const ClosedTable* kept = find(slots))
      fill_slots(kept->module, {0, kSlots, slots});
    else
      ++closed;
  }
  return closed;
}

int close_in_object(dl_phdr_info* object, std::size_t, void*) {
  for_each_range_of_variables(*object, [](const Range& variables) {
    for (const ClosedTable* each = g_closed; each != g_closed + g_closed_count; ++each)
      if (variables.has(each->slots) && each->slots[-1] == kAsked)
        std::fill(each->slots, each->slots + kSlots, kClosed);
  });
  return 0;
}

}  // namespace

void keep_extension(const ExtensionModule& module) {
  // This thread may hold the loader's lock, because it loads the client. The thread that holds
  // g_closed_busy may wait for that lock, so this thread does not wait.
  if (!core::g_process.loaded_late || module.segments->slot_count != kSlots ||
      !g_closed_busy.try_lock())
    return;
  if (g_closed_count < kMaxTables && find(module.segments->slots) == nullptr)
    g_closed[g_closed_count++] = {module.segments->slots, module.module};
  g_closed_busy.unlock();
}

std::uint64_t attach_extensions(const dl_phdr_info& object) {
  const core::ProcessLockGuard lock(g_closed_busy);
  std::uint64_t closed = 0;
  for_each_range_of_variables(object, [&](const Range& variables) {
    if (variables.end - variables.begin <= kMaxBytes) closed += open_kept(variables);
  });
  return closed;
}

void detach_extensions() {
  const core::ProcessLockGuard lock(g_closed_busy);
  if (g_closed_count != 0) core::walk_objects(close_in_object, nullptr);
}

}  // namespace prof::nvtx
