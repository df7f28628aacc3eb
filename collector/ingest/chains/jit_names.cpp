#include "collector/ingest/chains/jit_names.hpp"

#include <algorithm>

namespace prof::ingest {

// Code that is loaded, or moved (`from`), or what happens to all of it: a child's beginning, or an
// exec, which ends it.
struct JitNames::Event {
  enum class Kind { kLoad, kMove, kFork, kExec } kind;
  pid_t pid = 0;
  std::uint64_t time = 0;
  std::uint64_t address = 0, size = 0;
  std::uint64_t from = 0;
  pid_t parent = 0;
  std::string name{};
};

namespace {

bool is_code(const nlohmann::json& code) {
  if (!code.is_array() || code.size() != 4) return false;
  for (std::size_t i = 0; i < 3; ++i)
    if (!code[i].is_number_integer()) return false;
  const std::uint64_t address = code[1], size = code[2];
  return size != 0 && address + size > address;
}

}  // namespace

JitNames::JitNames(std::span<const nlohmann::json> notes) {
  std::vector<Event> events;
  for (const nlohmann::json& note : notes) {
    const std::string type = note.value("type", "");
    if (type == "jit_code") read_code(note, events);
    if (type != "jit_process") continue;
    Event event{Event::Kind::kExec, note.value("pid", 0), note.value("time", std::uint64_t{0})};
    event.parent = note.value("parent", 0);
    if (event.parent != 0) event.kind = Event::Kind::kFork;
    events.push_back(std::move(event));
  }
  std::ranges::stable_sort(events, {}, &Event::time);
  for (const Event& event : events) apply(event);
}

void JitNames::read_code(const nlohmann::json& note, std::vector<Event>& events) {
  const auto codes = note.find("code");
  if (codes == note.end() || !codes->is_array()) return;
  for (const nlohmann::json& code : *codes) {
    if (!is_code(code)) continue;
    Event event{Event::Kind::kLoad, note.value("pid", 0), code[0], code[1], code[2]};
    if (code[3].is_string()) {
      event.name = code[3];
    } else if (code[3].is_number_integer()) {
      event.kind = Event::Kind::kMove;
      event.from = code[3];
    } else {
      continue;
    }
    events.push_back(std::move(event));
  }
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
