#include "collector/ingest/process_table.hpp"

#include <nlohmann/json.hpp>

namespace prof::ingest {

Drops drops_of(const nlohmann::json& note) {
  Drops drops;
  const auto found = note.find("dropped");
  if (found == note.end() || !found->is_object()) return drops;
  for (const auto& [cause, count] : found->items())
    if (count.is_number_integer()) drops[cause] = count.get<std::uint64_t>();
  return drops;
}

ProcessTable::ProcessTable(const std::vector<nlohmann::json>& notes) {
  for (const auto& note : notes) {
    const std::string type = note.value("type", "");
    if (type == "process") {
      ProcessImage image;
      image.serial = note.value("serial", 0U);
      image.parent_serial = note.value("parent_serial", 0U);
      image.pid = note.value("pid", 0);
      image.own_pid = note.value("own_pid", image.pid);
      image.time = note.value("time", std::uint64_t{0});
      image.name = note.value("name", "");
      by_serial_[image.serial] = images_.size();
      images_.push_back(std::move(image));
    } else if (type == "process_end") {
      const auto found = by_serial_.find(note.value("serial", 0U));
      if (found == by_serial_.end()) continue;
      if (note.contains("dropped")) images_[found->second].dropped = drops_of(note);
    }
  }
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
