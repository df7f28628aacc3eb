#include "injection/core/symbols/real_symbol.hpp"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "injection/core/doors.hpp"
#include "injection/core/machine/machine.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/symbols/loader.hpp"
#include "injection/core/symbols/next_symbol.hpp"

// The name and version of a symbol, as offsets of the texts from the fields themselves. An empty
// version text means the default version, or the only one.
struct SymbolNames {
  std::int32_t name;
  std::int32_t version;
  prof::core::SlotKind kind;
};

// The bounds of the two sections, from the linker. Their entries are in the same order, because
// each PROF_REAL_SLOT adds one entry to both.
extern "C" {
extern prof::core::RealSymbol __start_prof_symbols[] __attribute__((visibility("hidden")));
extern prof::core::RealSymbol __stop_prof_symbols[] __attribute__((visibility("hidden")));
extern const SymbolNames __start_prof_symbol_names[] __attribute__((visibility("hidden")));
}

namespace prof::core {

namespace {

const char* text_at(const std::int32_t& distance) {
  return reinterpret_cast<const char*>(&distance) + distance;
}

const SymbolNames& names_of(const RealSymbol& symbol) {
  return __start_prof_symbol_names[&symbol - __start_prof_symbols];
}

// Replaces functions that are newer than this process's libc, which has no caller that was linked
// to them. All return an int or nothing, and none is a cancellation point.
long missing_function() {
  errno = ENOSYS;
  return -1;
}

void* look_up(const char* name, const char* version) {
  if (has_loader_functions()) {
    void* found =
        version == nullptr || &dlvsym == nullptr ? nullptr : dlvsym(RTLD_NEXT, name, version);
    if (found == nullptr) found = dlsym(RTLD_NEXT, name);
    if (found != nullptr) return found;
  }
  // An older libc has only older versions.
  void* found = version == nullptr ? nullptr : find_next(name).address;
  if (found == nullptr) found = find_loaded_later(name, version);
  return found != nullptr || version == nullptr ? found : find_loaded_later(name, nullptr);
}

// Marks a look-up in the arena, so that the parent makes it before its next fork. Only in a fork
// child, until it forks itself.
void tell_parent(const RealSymbol& symbol) {
  const auto number = static_cast<std::size_t>(&symbol - __start_prof_symbols);
  if (g_process.arena == nullptr || g_live.self.serial == g_process.forker.serial ||
      number >= wire::kRealFunctions)
    return;
  g_process.arena->looked_up[number / 64].fetch_or(std::uint64_t{1} << number % 64,
                                                   std::memory_order_relaxed);
  g_process.arena->child_lookups.fetch_add(1, std::memory_order_release);
}

std::uint32_t g_seen_lookups;  // ArenaHeader::child_lookups when this process last read it

}  // namespace

void look_up_for_children() {
  wire::ArenaHeader* arena = g_process.arena;
  if (arena == nullptr) return;
  const std::uint32_t lookups = arena->child_lookups.load(std::memory_order_acquire);
  if (lookups == g_seen_lookups) return;
  g_seen_lookups = lookups;
  const auto count = static_cast<std::size_t>(__stop_prof_symbols - __start_prof_symbols);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, wire::kRealFunctions); ++i)
    if ((arena->looked_up[i / 64].load(std::memory_order_relaxed) >> i % 64 & 1) != 0)
      __start_prof_symbols[i].get();
}

namespace {

// Finds the function. In a process that prof has attached to, the loader would begin its search
// after this library, where no object follows.
Definition find(const SymbolNames& names) {
  const char* const name = text_at(names.name);
  const char* version = text_at(names.version);
  version = *version == '\0' ? nullptr : machine::version_here(version);
  const Owner needed = names.kind == SlotKind::kOfLibc ? Owner::kLibc : Owner::kAnyone;
  if (g_process.loaded_late) return find_first(name, version, needed);
  // A look-up by the loader costs a process some 20 us. Before glibc 2.36 dlsym(RTLD_NEXT) could
  // return the oldest version of a symbol.
  Definition found = find_next(name, version, needed);
  // Some functions have only an old version, for programs that were linked to it: __send on
  // aarch64.
  if (found.address == nullptr && version == nullptr)
    found = find_next(name, PROF_FIRST_GLIBC, needed);
  if (found.address == nullptr) found.address = look_up(name, version);
  return found;
}

bool is_left_alone(Owner owner, SlotKind kind) {
  return owner == Owner::kLinked || (owner == Owner::kPreloaded && kind == SlotKind::kStandsIn);
}

}  // namespace

void* RealSymbol::resolve() {
  const std::intptr_t before = word.load(std::memory_order_relaxed);
  // Another thread may have looked the symbol up since get() has found 0.
  if (before > 0) return reinterpret_cast<void*>(before);
  if (before < 0) return reinterpret_cast<void*>(before - kLeftAlone);
  // Another library's constructor may call a wrapper before ours has run.
  if (!g_process.loaded_late) load_once(environ);
  const SymbolNames& names = names_of(*this);
  const Definition found = find(names);
  auto value = reinterpret_cast<std::intptr_t>(found.address);
  if (value != 0 && is_left_alone(found.owner, names.kind)) value += kLeftAlone;
  word.store(value, std::memory_order_relaxed);
  tell_parent(*this);
  return found.address != nullptr ? found.address : reinterpret_cast<void*>(&missing_function);
}

// Called by the entries of wrappers (machine/). Returns the address at which the call continues:
// the entry again, or a function that is not wrapped.
extern "C" __attribute__((visibility("hidden"))) void* prof_find_real(RealSymbol* symbol,
                                                                      void* entry) {
  void* const found = symbol->get();
  return symbol->is_wrapped() ? entry : found;
}

void prepare_real_symbols() {
  const bool has_next = note_next_objects();
  g_process.loaded_late = was_loaded_late();
  if (has_next && !g_process.loaded_late) return;
  for (RealSymbol* symbol = __start_prof_symbols; symbol != __stop_prof_symbols; ++symbol)
    symbol->get();
}

}  // namespace prof::core
