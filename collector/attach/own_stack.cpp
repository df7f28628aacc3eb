#include "collector/attach/own_stack.hpp"

#include <array>
#include <optional>

namespace prof::attach {

namespace {

constexpr std::uint64_t kRoom = 64 * 1024;

// Returns the offset of a member of libc's structures. libc describes its variables to debuggers:
// bits of an element, number of elements, offset.
std::optional<std::uint32_t> offset_of(const TargetMemory& memory, const char* name) {
  const Module* libc = memory.module_named("libc.so");
  const auto at = libc != nullptr ? memory.find(*libc, name) : std::nullopt;
  std::array<std::uint32_t, 3> description{};
  if (!at || !memory.memory().read(*at, description)) return {};
  return description[2];
}

// True if libc has made the thread's stack: libc has a list of such threads. The list changes while
// it is read, and then the thread may not be found.
bool is_stack_of_libc(const TargetMemory& memory, std::uint64_t descriptor) {
  const Module* loader = memory.module_named("ld-linux");
  const auto globals = loader != nullptr ? memory.find(*loader, "_rtld_global") : std::nullopt;
  const auto list = offset_of(memory, "_thread_db_rtld_global__dl_stack_used");
  const auto next = offset_of(memory, "_thread_db_list_t_next");
  const auto entry = offset_of(memory, "_thread_db_pthread_list");
  if (!globals || !list || !next || !entry) return false;
  constexpr int kMaxThreads = 20'000;
  const std::uint64_t head = *globals + *list;
  std::uint64_t at = head;
  for (int i = 0; i < kMaxThreads; ++i) {
    if (!memory.memory().read(at + *next, at) || at == head) return false;
    if (at - *entry == descriptor) return true;
  }
  return false;
}

}  // namespace

bool has_room_below(pid_t process, pid_t thread, const TargetMemory& memory,
                    const ptrace::Registers& registers) {
  const Mapping* stack = memory.mapping_at(registers.stack());
  if (stack == nullptr || registers.stack() - stack->begin <= kRoom) return false;
  if (stack->path == "[stack]") return thread == process;
  const std::uint64_t descriptor = registers.values().fs_base;
  return stack->has(descriptor) && registers.stack() < descriptor &&
         is_stack_of_libc(memory, descriptor);
}

}  // namespace prof::attach
