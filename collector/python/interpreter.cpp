#include "collector/python/interpreter.hpp"

#include <errno.h>

#include <algorithm>

#include "common/wire/chain_records.hpp"

namespace prof::python {

namespace {

constexpr std::size_t kMaxThreads = InterpreterMemory::kMaxThreads;

constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  return wire::detail::fold(state ^ word, wire::detail::kMix1);
}

}  // namespace

Interpreter::Interpreter(pid_t pid, const InterpreterAddress& address,
                         const spool::SessionClock& clock)
    : objects_(pid, address), memory_(objects_.memory()), clock_(clock), threads_(pid) {}

bool Interpreter::sample(std::uint64_t time, std::uint32_t periods, spool::RecordBuffer& records,
                         SampleCounts& counts) {
  memory_.clear();
  if (!objects_.find_layout()) return memory_.error() != EPERM;
  if (places_.size() > kMaxThreads) places_.clear();  // forgets threads that have ended
  if (turns_.size() > kMaxThreads) turns_.clear();
  memory_.prefetch(list_places_);
  const std::vector<std::uint64_t> states = objects_.thread_states();
  if (states.empty() && memory_.error() == EPERM) return false;
  std::vector<IdleThread> idle;
  for (const CurrentStates::Choice& each : threads_of(states)) {
    if (each.is_running)
      sample_thread(each.state, each.thread, time, periods, records, counts);
    else
      idle.push_back({each.state, each.thread});
  }
  counts.idle += idle.size();
  note_waits(idle, records, counts);
  return true;
}

// If there is only one interpreter, each thread has one state.
std::vector<CurrentStates::Choice> Interpreter::threads_of(
    const std::vector<std::uint64_t>& states) {
  if (objects_.has_subinterpreters())
    return current_.choose(objects_.look_at(states),
                           [&](pid_t thread) { return threads_.is_running(thread); });
  std::vector<CurrentStates::Choice> choices;
  for (const std::uint64_t state : states)
    if (const pid_t thread = objects_.thread_of(state); thread > 0)
      choices.push_back({thread, state, threads_.is_running(thread)});
  return choices;
}

// Looks at a few waiting threads in turn, so that a program with many threads is sampled as often
// as others.
void Interpreter::note_waits(const std::vector<IdleThread>& idle, spool::RecordBuffer& records,
                             SampleCounts& counts) {
  constexpr std::size_t kMaximum = 8;
  const std::size_t count = std::min(kMaximum, idle.size());
  for (std::size_t i = 0; i < count; ++i) {
    const IdleThread& each = idle[(next_idle_ + i) % idle.size()];
    note_wait(each.state, each.thread, records, counts);
  }
  next_idle_ += count;
}

void Interpreter::sample_thread(std::uint64_t state, pid_t thread, std::uint64_t time,
                                std::uint32_t periods, spool::RecordBuffer& records,
                                SampleCounts& counts) {
  constexpr int kTries = 5;
  std::vector<python_frames::PythonFrame> frames;
  std::uint8_t flags = 0;
  int tries = 0;
  bool moved = false;
  while (!read_stack(state, frames, flags, moved)) {
    if (++tries == kTries) {
      ++counts.torn;
      return;
    }
    memory_.clear();
  }
  if (frames.empty()) return;  // the thread is between two functions, or runs only C code
  const std::uint64_t chain = send_chain(frames, flags, records);
  if (chain == 0) {
    ++counts.torn;
    return;
  }
  wire::PythonSampleRecord sample{};
  sample.header.aux = static_cast<std::uint32_t>(thread);
  sample.time = time;
  sample.chain = chain;
  for (std::uint32_t i = 0; i < periods; ++i) records.add(wire::RecordType::kPythonSample, sample);
  counts.taken += periods;
  if (moved) ++counts.moved;
}

// Notes each wait once. The chain is valid if the thread has waited all the time.
void Interpreter::note_wait(std::uint64_t state, pid_t thread, spool::RecordBuffer& records,
                            SampleCounts& counts) {
  const std::uint64_t turns = threads_.turns(thread);
  if (turns == 0 || turns_[state] == turns) return;
  const std::uint64_t time = clock_.now();
  memory_.clear();
  std::vector<python_frames::PythonFrame> frames;
  std::uint8_t flags = 0;
  bool moved = false;
  if (!read_stack(state, frames, flags, moved)) return;
  const std::uint64_t chain = frames.empty() ? 0 : send_chain(frames, flags, records);
  if (threads_.turns(thread) != turns) return;
  turns_[state] = turns;
  if (chain == 0) return;
  wire::PythonSampleRecord wait{};
  wait.header.flags = wire::kPythonWait;
  wait.header.aux = static_cast<std::uint32_t>(thread);
  wait.time = time;
  wait.chain = chain;
  records.add(wire::RecordType::kPythonSample, wait);
  ++counts.waits;
}

// Returns the chain's hash, or 0 if a function could not be read.
std::uint64_t Interpreter::send_chain(const std::vector<python_frames::PythonFrame>& frames,
                                      std::uint8_t flags, spool::RecordBuffer& records) {
  std::vector<wire::ChainFrame> chain;
  std::uint64_t hash = flags;
  for (const python_frames::PythonFrame& frame : frames) {
    const std::uint64_t key = key_of(frame.code, records);
    if (key == 0) return 0;
    chain.push_back({key, frame.instruction, wire::FrameKind::kPython});
    hash = mix(mix(hash, key), frame.instruction);
  }
  hash |= 1;  // never 0
  if (sent_.insert(hash).second) {
    wire::ChainRecord record{};
    record.header.aux = static_cast<std::uint32_t>(chain.size());
    record.header.flags = flags;
    record.chain = hash;
    records.add(wire::RecordType::kChain, record, std::as_bytes(std::span(chain)));
  }
  return hash;
}

// Reads the memory around the innermost frame, and, before and after that, the address of the
// frame. All of it takes a microsecond. Most functions last longer, and most call chains lie
// completely in this memory.
bool Interpreter::take_snapshot(std::uint64_t state, CopiedFrames& snapshot) {
  constexpr std::uint64_t kPage = 4096;
  const bool held = objects_.layout().holder_frame != python_frames::kNoHolder;
  std::uint64_t holder = 0;
  if (!objects_.innermost(state, snapshot.frame, holder)) return false;
  if (snapshot.frame == 0) return true;
  if (!python_frames::may_be_object(snapshot.frame)) return false;
  const std::uint64_t needed =
      std::max({objects_.layout().frame_back, objects_.layout().frame_code,
                objects_.layout().frame_instr, objects_.layout().frame_tlbc,
                objects_.layout().frame_owner}) +
      8;
  snapshot.begin = snapshot.frame / kPage * kPage;
  snapshot.end = std::max(snapshot.begin + kPage, snapshot.frame + needed);
  std::vector<std::byte> bytes(snapshot.end - snapshot.begin);
  struct Look {
    std::uint64_t holder, frame;
  } before{holder, 0}, after{holder, 0};
  std::vector<RemoteMemory::Piece> pieces;
  const auto look = [&](Look& into) {
    const auto add = [&](std::uint64_t address, std::uint64_t& word) {
      pieces.push_back({address, std::as_writable_bytes(std::span(&word, 1))});
    };
    add(state + objects_.layout().frame_holder, held ? into.holder : into.frame);
    if (held) add(holder + objects_.layout().holder_frame, into.frame);
  };
  look(before);
  pieces.push_back({snapshot.begin, bytes});
  look(after);
  if (!memory_.read_at_once(pieces) || before.holder != holder) return false;
  // The innermost frame may have changed since its address was first read. Its new address is used
  // if it lies in the memory that was read.
  snapshot.frame = before.frame;
  if (snapshot.frame < snapshot.begin || snapshot.frame + needed > snapshot.end) return false;
  // A function that returned between the two readings was active at the first one, and its frame
  // stays intact until the next call. If such samples were dropped or retried, functions that last
  // long would get too many samples.
  snapshot.moved = after.holder != holder || after.frame != before.frame;
  memory_.set_window(snapshot.begin, bytes);
  return true;
}

// Frames outside of the snapshot may have changed after it. They are valid if the innermost frame
// is still the same, as outer frames cannot change while it is active.
bool Interpreter::read_stack(std::uint64_t state, std::vector<python_frames::PythonFrame>& frames,
                             std::uint8_t& flags, bool& moved) {
  frames.clear();
  CopiedFrames snapshot;
  if (!take_snapshot(state, snapshot)) return false;
  if (snapshot.frame == 0) return true;
  // The rest is read after the snapshot, because what is read before it may have changed until
  // then.
  memory_.prefetch(places_[state]);
  bool whole = true;
  const auto end = python_frames::walk_python_frames(
      memory_, objects_.layout(), objects_.address().code_type, snapshot.frame,
      python_frames::kMaxPythonFrames,
      [&](const python_frames::PythonFrame& frame, std::uint64_t address) {
        frames.push_back(frame);
        whole = whole && address >= snapshot.begin && address < snapshot.end;
      });
  if (end == python_frames::PythonStackEnd::kBroken) return false;
  flags = end == python_frames::PythonStackEnd::kMaxDepth ? wire::kChainMaxDepth : std::uint8_t{0};
  if (!whole) return !snapshot.moved && is_unchanged(state, snapshot.frame);
  moved = snapshot.moved;
  return true;
}

// True if the frame is unchanged. The next call may reuse the memory of a frame; then its code or
// its caller differs.
bool Interpreter::is_unchanged(std::uint64_t state, std::uint64_t frame) {
  std::uint64_t innermost_now = 0;
  std::uint64_t holder = 0;
  if (!objects_.innermost(state, innermost_now, holder) || innermost_now != frame) return false;
  for (const std::uint32_t offset : {objects_.layout().frame_code, objects_.layout().frame_back}) {
    std::uint64_t seen = 0;
    std::uint64_t now = 0;
    if (!memory_.read(frame + offset, seen) || !memory_.read_afresh(frame + offset, now) ||
        seen != now)
      return false;
  }
  return true;
}

std::uint64_t Interpreter::key_of(std::uint64_t address, spool::RecordBuffer& records) {
  const auto code = objects_.read_code(address);
  if (!code) return 0;
  const auto known = codes_.find(address);
  if (known != codes_.end() && known->second.code == *code) return known->second.key;
  const std::uint64_t key = describe(*code, records);
  if (key != 0) codes_[address] = {*code, key};
  return key;
}

std::uint64_t Interpreter::describe(const Code& code, spool::RecordBuffer& records) {
  const auto name = objects_.read_text(code.name);
  const auto file = objects_.read_text(code.file);
  if (!name || !file) return 0;
  const std::vector<std::byte> lines = objects_.read_bytes(code.lines);
  wire::PythonCodeRecord record{};
  record.name = records.text(*name);
  record.file = records.text(*file);
  record.first_line = code.first_line;
  record.version = objects_.layout().version;
  record.header.aux = static_cast<std::uint32_t>(lines.size());
  record.key = mix(mix(mix(record.name, record.file), record.first_line),
                   wire::hash_text(reinterpret_cast<const char*>(lines.data()), lines.size())) |
               1;
  if (sent_.insert(record.key).second) records.add(wire::RecordType::kPythonCode, record, lines);
  return record.key;
}

}  // namespace prof::python
