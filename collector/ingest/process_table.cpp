#include "collector/ingest/process_table.hpp"

namespace prof::ingest {

ProcessTable::ProcessTable(const spool::Notes& notes, std::pmr::memory_resource* memory)
    : images_(memory), by_serial_(memory), reused_(memory) {
  std::pmr::unordered_map<std::int32_t, std::uint32_t> generations(memory);  // by pid
  notes.for_each<spool::ProcessNote>([&](const spool::ProcessNote& note) {
    std::uint32_t generation = 0;
    if (const auto known = generations.find(note.pid); known != generations.end()) {
      const ProcessImage* same = find(note.exec_of.value_or(0));
      if (same == nullptr) same = find(note.serial);  // the same image is described again
      generation = same != nullptr && same->pid == note.pid ? same->generation
                   : note.exec_of == 0                      ? known->second + 1
                                                            : known->second;
    }
    generations[note.pid] = std::max(generations[note.pid], generation);
    by_serial_[note.serial] = images_.size();
    images_.push_back({.serial = note.serial,
                       .parent_serial = note.parent_serial,
                       .pid = note.pid,
                       .own_pid = note.own_pid,
                       .time = note.time,
                       .generation = generation,
                       .name = std::pmr::string(note.name, memory),
                       .dropped = {}});
  });
  for (const ProcessImage& image : images_)
    if (generations[image.pid] > 0) {
      auto& begins = reused_[image.pid];
      begins.resize(generations[image.pid] + 1, ~std::uint64_t{0});
      begins[image.generation] = std::min(begins[image.generation], image.time);
    }
  notes.for_each<spool::ProcessEndNote>([&](spool::ProcessEndNote&& note) {
    const auto found = by_serial_.find(note.serial);
    if (found == by_serial_.end()) return;
    ProcessImage& image = images_[found->second];
    image.has_ended |= !note.goes_on;
    // The counters are in memory that the target can overwrite, so a sum can be too large.
    for (const auto& [cause, events] : note.dropped) {
      std::uint64_t& sum = image.dropped[cause];
      sum = events > ~sum ? ~std::uint64_t{0} : sum + events;
    }
  });
}

const ProcessImage* ProcessTable::find(std::uint32_t serial) const {
  const auto found = by_serial_.find(serial);
  return found == by_serial_.end() ? nullptr : &images_[found->second];
}

std::int64_t ProcessTable::global_tid_of(std::uint32_t serial, std::uint32_t tid) const {
  const ProcessImage* image = find(serial);
  if (image == nullptr) return global_tid(0, tid);
  const std::int64_t generation = generation_id(image->generation);
  const bool main_elsewhere =
      image->own_pid != image->pid && tid == static_cast<std::uint32_t>(image->own_pid);
  return generation +
         global_tid(image->pid, main_elsewhere ? static_cast<std::uint32_t>(image->pid) : tid);
}

std::int64_t ProcessTable::global_pid_of(std::uint32_t serial) const {
  const ProcessImage* image = find(serial);
  return image == nullptr ? global_pid(0)
                          : generation_id(image->generation) + global_pid(image->pid);
}

ProcessTable::Began ProcessTable::last_begin(std::int32_t pid, std::int64_t time,
                                             const spool::ClockModel& clock) const {
  Began began;
  if (const auto found = reused_.find(pid); found != reused_.end())
    for (std::uint32_t i = 1; i < found->second.size(); ++i)
      if (found->second[i] != ~std::uint64_t{0} && clock.to_ns(found->second[i]) <= time)
        began = {i, clock.to_ns(found->second[i])};
  return began;
}

std::int64_t ProcessTable::global_tid_at(std::int32_t pid, std::uint32_t tid, std::int64_t time,
                                         const spool::ClockModel& clock) const {
  return generation_id(last_begin(pid, time, clock).generation) + global_tid(pid, tid);
}

std::int64_t ProcessTable::begin_at(std::int32_t pid, std::int64_t time,
                                    const spool::ClockModel& clock) const {
  return last_begin(pid, time, clock).time;
}

}  // namespace prof::ingest
