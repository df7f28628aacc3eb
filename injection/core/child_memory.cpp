#include "injection/core/child_memory.hpp"

#include <atomic>
#include <cstdint>

#include "injection/core/layout.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/syscalls.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::core {

namespace {

// The memory in use, by thread. A vfork child has the thread state of the thread that made it and
// waits for it.
struct Note {
  std::atomic<const ThreadState*> thread;  // null: the note is free
  void* memory;
  std::size_t bytes;
  std::uint32_t user;  // the thread that uses the memory, or has left it by exec
  int process;         // of that thread
};
constexpr std::size_t kNotes = 16;
PROF_SELDOM Note g_notes[kNotes];

Note* note_of(const ThreadState* thread) {
  for (Note& note : g_notes)
    if (note.thread.load(std::memory_order_relaxed) == thread) return &note;
  return nullptr;
}

// Returns null if there are more threads than notes.
Note* free_note() {
  for (Note& note : g_notes) {
    const ThreadState* expected = nullptr;
    if (note.thread.compare_exchange_strong(expected, &t_state, std::memory_order_relaxed))
      return &note;
  }
  return nullptr;
}

// True if the memory is still used by this thread, or by the thread that made this process. Then
// the caller is a signal handler that has interrupted the use.
bool is_in_use(const Note& note) {
  return note.user == sys::gettid() || note.process == sys::getppid();
}

void unmap(Note& note) {
  sys::munmap(note.memory, note.bytes);
  note.bytes = 0;  // a signal handler may find the note while it is being filled in
  note.thread.store(nullptr, std::memory_order_relaxed);
}

}  // namespace

void* ChildMemory::map(std::size_t bytes) {
  Note* note = note_of(&t_state);
  // A child that runs beside its parent may be executing exec at this moment.
  const bool may_note = t_state.sharers == 0 && (note == nullptr || !is_in_use(*note));
  if (note != nullptr && may_note) unmap(*note);
  void* const memory = sys::mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (sys::failed(memory)) return nullptr;
  memory_ = memory;
  bytes_ = bytes;
  note = may_note ? free_note() : nullptr;
  if (note == nullptr) return memory;
  note->memory = memory;
  note->bytes = bytes;
  note->user = sys::gettid();
  note->process = sys::getpid();
  noted_ = true;
  return memory;
}

ChildMemory::~ChildMemory() {
  if (memory_ == nullptr) return;
  Note* const note = noted_ ? note_of(&t_state) : nullptr;
  if (note != nullptr && note->memory == memory_)
    unmap(*note);
  else
    sys::munmap(memory_, bytes_);
}

void unmap_left_by_children() {
  if (g_process.sandboxed.load(std::memory_order_relaxed)) return;
  if (Note* note = note_of(&t_state)) unmap(*note);
}

}  // namespace prof::core
