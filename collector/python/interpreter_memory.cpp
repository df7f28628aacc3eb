#include "collector/python/interpreter_memory.hpp"

#include <algorithm>

#include "collector/python/text.hpp"
#include "common/wire/chain_records.hpp"
#include "common/wire/machine/machine.hpp"

namespace prof::python {

namespace {

constexpr std::uint64_t kMaxInterpreters = 256;

}  // namespace

bool InterpreterMemory::find_layout() {
  if (layout_.version != 0) return true;
  layout_ = python_frames::python_layout(address_.version);
  if (layout_.version != 0) return true;
  std::uint64_t words[python_frames::kPythonOffsetWords];
  if (!memory_.read(address_.runtime, words)) return false;
  layout_ = python_frames::python_layout(words);
  return layout_.version != 0;
}

std::vector<std::uint64_t> InterpreterMemory::thread_states() {
  std::vector<std::uint64_t> states;
  std::uint64_t interpreter = 0;
  memory_.read(address_.runtime + layout_.runtime_interpreters, interpreter);
  interpreters_ = 0;
  for (std::uint64_t& i = interpreters_;
       python_frames::may_be_object(interpreter) && i < kMaxInterpreters; ++i) {
    std::uint64_t state = 0;
    memory_.read(interpreter + layout_.interpreter_threads, state);
    while (python_frames::may_be_object(state) && states.size() < kMaxThreads) {
      states.push_back(state);
      if (!memory_.read(state + layout_.thread_next, state)) break;
    }
    if (!memory_.read(interpreter + layout_.interpreter_next, interpreter)) break;
  }
  return states;
}

std::vector<CurrentStates::State> InterpreterMemory::look_at(
    const std::vector<std::uint64_t>& states) {
  std::uint64_t with_lock = 0;
  if (layout_.runtime_current != 0)
    memory_.read_afresh(address_.runtime + layout_.runtime_current, with_lock);
  std::vector<CurrentStates::State> found;
  for (const std::uint64_t address : states) {
    CurrentStates::State state{address, thread_of(address), address == with_lock, false};
    std::uint32_t status = 0;
    if (layout_.thread_status != 0 && memory_.read_afresh(address + layout_.thread_status, status))
      state.is_current = (status & python_frames::kPythonActive) != 0;
    std::uint64_t frame = 0;
    std::uint64_t holder = 0;
    state.has_frames = innermost(address, frame, holder) && frame != 0;
    found.push_back(state);
  }
  return found;
}

pid_t InterpreterMemory::thread_of(std::uint64_t state) {
  std::uint64_t id = 0;
  if (layout_.thread_native_id != 0) {
    memory_.read(state + layout_.thread_native_id, id);
    return static_cast<pid_t>(id);
  }
  std::int32_t tid = 0;
  if (memory_.read(state + layout_.thread_id, id) && python_frames::may_be_object(id))
    // Python before 3.11 keeps only the pthread_t of its threads.
    memory_.read(id + wire::kThreadIdPlace, tid);
  return tid;
}

bool InterpreterMemory::innermost(std::uint64_t state, std::uint64_t& frame,
                                  std::uint64_t& holder) {
  if (!memory_.read_afresh(state + layout_.frame_holder, frame)) return false;
  if (layout_.holder_frame == python_frames::kNoHolder || frame == 0) return true;
  holder = frame;
  return python_frames::may_be_object(holder) &&
         memory_.read_afresh(holder + layout_.holder_frame, frame);
}

std::optional<InterpreterMemory::Code> InterpreterMemory::read_code(std::uint64_t address) {
  Code code;
  const std::uint32_t name = layout_.code_qualname != 0 ? layout_.code_qualname : layout_.code_name;
  if (memory_.read(address + name, code.name) &&
      memory_.read(address + layout_.code_file, code.file) &&
      memory_.read(address + layout_.code_lines, code.lines) &&
      memory_.read(address + layout_.code_first_line, code.first_line) &&
      python_frames::may_be_object(code.name) && python_frames::may_be_object(code.file) &&
      python_frames::may_be_object(code.lines))
    return code;
  return std::nullopt;
}

std::optional<std::string> InterpreterMemory::read_text(std::uint64_t address) {
  std::uint64_t length = 0;
  std::uint32_t state = 0;
  if (!memory_.read(address + layout_.text_length, length) || length > wire::kMaxStringBytes ||
      !memory_.read(address + layout_.text_state, state))
    return std::nullopt;
  const python_frames::PythonTextState form(state);
  if (form.width == 0) return std::nullopt;
  std::vector<std::byte> data(length * form.width);
  const std::uint32_t offset = form.ascii ? layout_.text_ascii : layout_.text_other;
  if (!memory_.read_bytes(address + offset, data)) return std::nullopt;
  return to_utf8(data, form.width);
}

std::vector<std::byte> InterpreterMemory::read_bytes(std::uint64_t address) {
  std::uint64_t length = 0;
  if (!memory_.read(address + layout_.bytes_length, length)) return {};
  std::vector<std::byte> data(std::min<std::uint64_t>(length, wire::kMaxLineTable));
  if (!memory_.read_bytes(address + layout_.bytes_data, data)) data.clear();
  return data;
}

}  // namespace prof::python
