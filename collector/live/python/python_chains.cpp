#include "collector/live/python/python_chains.hpp"

#include "collector/ingest/chains/python_lines.hpp"
#include "collector/python/thread_states.hpp"
#include "common/base/text/printable.hpp"

namespace prof::live {

PythonChains::PythonChains(pid_t pid, const python::InterpreterAddress& address)
    : objects_(pid, address) {}

void PythonChains::look() {
  objects_.memory().clear();
  if (!objects_.find_layout()) return;
  const std::vector<std::uint64_t> states = objects_.thread_states();
  if (objects_.has_subinterpreters()) {
    python::ThreadStates threads(objects_.memory().pid());
    for (const auto& each : python::CurrentStates().choose(
             objects_.look_at(states), [&](pid_t thread) { return threads.is_running(thread); }))
      states_.emplace(each.thread, State{each.state, objects_.thread_of(each.state)});
  }
  for (const std::uint64_t state : states) {
    const pid_t thread = objects_.thread_of(state);
    states_.emplace(thread, State{state, thread});
  }
}

PythonChains::Frames PythonChains::frames(pid_t thread) {
  Frames found;
  const auto state = states_.find(thread);
  if (state == states_.end()) return found;
  objects_.memory().clear();  // memory may have changed since the threads before were copied
  // The thread may have ended since look(), and another thread may use its state now.
  if (objects_.thread_of(state->second.address) != state->second.named) return found;
  const auto end = python_frames::walk_python_stack(
      objects_.memory(), objects_.layout(), objects_.address().code_type, state->second.address,
      python_frames::kMaxPythonFrames,
      [&](const python_frames::PythonFrame& frame) { found.frames.push_back(frame); });
  found.is_cut = end != python_frames::PythonStackEnd::kComplete;
  return found;
}

PythonChains::Function PythonChains::function(const python_frames::PythonFrame& frame) {
  const auto [at, is_new] = codes_.try_emplace(frame.code);
  Code& known = at->second;
  if (is_new) {
    known.name = "?";
    if (const auto code = objects_.read_code(frame.code)) {
      known.first_line = code->first_line;
      if (const auto name = objects_.read_text(code->name)) known.name = base::printable(*name);
      if (const auto file = objects_.read_text(code->file)) known.file = base::printable(*file);
      known.lines = objects_.read_bytes(code->lines);
    }
  }
  const ingest::PythonLines lines{objects_.layout().version, known.first_line, known.lines};
  const bool is_known = frame.instruction != python_frames::kUnknownInstruction;
  return {known.name, known.file,
          static_cast<int>(is_known ? lines.line_at(frame.instruction) : known.first_line)};
}

// In all versions of Python the lock has these members, in this order:
//
//   unsigned long interval; thread state* last_holder; int locked; unsigned long switch_number;
//   pthread_cond_t cond;
//
// A thread that wants the lock waits for `cond`, and the C library then waits for one of two words
// of the condition variable, depending on the library's version. So prof tries each place where the
// lock can be, and takes the one whose last holder is a thread state.
pid_t PythonChains::lock_holder(std::uint64_t futex) {
  constexpr std::uint64_t kHolder = 8, kLocked = 16, kCondition = 32;
  for (const std::uint64_t word : {40, 44, 32, 36}) {
    const std::uint64_t lock = futex - word - kCondition;
    if (!python_frames::may_be_object(lock)) continue;
    objects_.memory().clear();
    std::uint64_t holder = 0;
    std::int32_t locked = 0;
    if (!objects_.memory().read(lock + kHolder, holder) ||
        !objects_.memory().read(lock + kLocked, locked) || locked != 1)
      continue;
    for (const auto& [thread, state] : states_)
      if (state.address == holder) return thread;
  }
  return 0;
}

std::string PythonChains::thread_name(pid_t thread) {
  const auto state = states_.find(thread);
  if (state == states_.end()) return "";
  objects_.memory().clear();
  return threading_.thread_name(threading_.frames(state->second.address));
}

std::vector<PythonTasks::Task> PythonChains::tasks(pid_t thread) {
  const auto state = states_.find(thread);
  if (state == states_.end()) return {};
  objects_.memory().clear();
  return tasks_.of(threading_.frames(state->second.address));
}

PythonChains::LockHolder PythonChains::holder_of_lock(
    pid_t waiting, std::uint64_t semaphore, const std::function<bool(pid_t)>& also_waits) {
  const auto own = states_.find(waiting);
  if (own == states_.end() || !threading_.is_known_version()) return {};
  objects_.memory().clear();
  const std::vector<std::uint64_t> frames = threading_.frames(own->second.address);
  if (frames.empty()) return {};
  const auto lock = threading_.lock(frames.front(), semaphore);
  if (!lock) return {};
  if (lock->owner != 0) {
    for (const auto& [thread, state] : states_) {
      std::uint64_t id = 0;
      objects_.memory().read(state.address + objects_.layout().thread_id, id);
      if (id == lock->owner) return {thread, true};
    }
    return {};
  }
  // The statement that waits has a method, too.
  pid_t found = threading_.exit_methods(frames, lock->object).size() > 1 ? waiting : 0;
  for (const auto& [thread, state] : states_) {
    if (thread == waiting || also_waits(thread)) continue;
    if (threading_.exit_methods(threading_.frames(state.address), lock->object).empty()) continue;
    if (found != 0) return {};
    found = thread;
  }
  return {found, false};
}

}  // namespace prof::live
