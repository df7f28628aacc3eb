#include "collector/ingest/process_table.hpp"

namespace prof::ingest {

ProcessTable::ProcessTable(const spool::Notes& notes, std::pmr::memory_resource* memory)
    : images_(memory), by_serial_(memory) {
  notes.for_each<spool::ProcessNote>([&](const spool::ProcessNote& note) {
    by_serial_[note.serial] = images_.size();
    images_.push_back({.serial = note.serial,
                       .parent_serial = note.parent_serial,
                       .pid = note.pid,
                       .own_pid = note.own_pid,
                       .time = note.time,
                       .name = std::pmr::string(note.name, memory),
                       .dropped = {}});
  });
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
  const bool main_elsewhere =
      image->own_pid != image->pid && tid == static_cast<std::uint32_t>(image->own_pid);
  return global_tid(image->pid, main_elsewhere ? static_cast<std::uint32_t>(image->pid) : tid);
}

std::int64_t ProcessTable::global_pid_of(std::uint32_t serial) const {
  const ProcessImage* image = find(serial);
  return global_pid(image == nullptr ? 0 : image->pid);
}

}  // namespace prof::ingest
