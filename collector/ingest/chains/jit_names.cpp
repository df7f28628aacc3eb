#include "collector/ingest/chains/jit_names.hpp"

#include <algorithm>

namespace prof::ingest {

// An event that changes the code of a process: code is loaded or moved. A fork copies all code of
// the parent; an exec removes all code.
struct JitNames::Event {
  enum class Kind { kLoad, kMove, kFork, kExec } kind;
  pid_t pid = 0;
  std::uint64_t time = 0;
  std::uint64_t address = 0, size = 0;
  std::uint64_t from = 0;  // kMove: address before
  pid_t parent = 0;        // kFork
  std::string name{};
};

JitNames::JitNames(const spool::Notes& notes) {
  std::vector<Event> events;
  notes.for_each<spool::JitProcessNote>([&](const spool::JitProcessNote& note) {
    events.push_back({.kind = note.parent != 0 ? Event::Kind::kFork : Event::Kind::kExec,
                      .pid = note.pid,
                      .time = note.time,
                      .parent = note.parent});
  });
  notes.for_each<spool::JitCodeNote>([&](spool::JitCodeNote&& note) {
    for (spool::JitCode& code : note.code) {
      if (code.size == 0 || code.address + code.size <= code.address) continue;  // damaged record
      events.push_back({.kind = code.moved_from ? Event::Kind::kMove : Event::Kind::kLoad,
                        .pid = note.pid,
                        .time = code.time,
                        .address = code.address,
                        .size = code.size,
                        .from = code.moved_from.value_or(0),
                        .name = std::move(code.name)});
    }
  });
  std::ranges::stable_sort(events, {}, &Event::time);
  for (const Event& event : events) apply(event);
}

void JitNames::apply(const Event& event) {
  symbols::CodeHistory& process = processes_[event.pid];
  switch (event.kind) {
    case Event::Kind::kLoad:
      names_.push_back(event.name);
      process.add(event.address, event.size, event.time, static_cast<std::uint32_t>(names_.size()));
      return;
    case Event::Kind::kMove: {
      const auto moved = process.find(event.from, event.time);
      process.end(event.from, event.size, event.time);
      if (moved) process.add(event.address, event.size, event.time, *moved);
      return;
    }
    case Event::Kind::kFork:
      if (const auto parent = processes_.find(event.parent); parent != processes_.end())
        process = symbols::CodeHistory(parent->second);
      return;
    case Event::Kind::kExec:
      return process.end_all(event.time);
  }
}

std::uint32_t JitNames::find(pid_t pid, std::uint64_t address, std::uint64_t time) const {
  const auto process = processes_.find(pid);
  return process == processes_.end() ? 0 : process->second.find(address, time).value_or(0);
}

}  // namespace prof::ingest
