#include "collector/unwind/image_maps.hpp"

#include <algorithm>
#include <string>

namespace prof::unwind {

namespace {

constexpr auto kShortestInterval = std::chrono::milliseconds(5);
constexpr int kRestPerReading = 10;

bool is_known(const ModuleMap& map, const MapEvent& event) {
  const Mapping* known = map.find(event.start, 0);
  if (known == nullptr || known->start != event.start || known->end != event.start + event.length)
    return false;
  return known->module ? known->module->path() == event.path && known->offset == event.offset
                       : !event.path.starts_with('/');
}

}  // namespace

void ImageMaps::join(std::uint32_t serial, pid_t pid, std::uint32_t parent) {
  const auto [image, is_new] =
      images_.insert_or_assign(serial, Image{ModuleMap(modules_), pid, Clock::now()});
  if (read(image->second)) return;
  if (const auto before = images_.find(parent); before != images_.end())
    image->second.map = before->second.map;
}

void ImageMaps::end(std::uint32_t serial) {
  if (const auto image = images_.find(serial); image != images_.end()) image->second.pid = 0;
}

const ModuleMap* ImageMaps::find(std::uint32_t serial) const {
  const auto image = images_.find(serial);
  return image == images_.end() ? nullptr : &image->second.map;
}

void ImageMaps::keep_up(std::uint32_t serial, Clock::time_point now) {
  const auto found = images_.find(serial);
  if (found == images_.end()) return;
  const Image& image = found->second;
  if (now - image.last_read >= image.last_read - image.joined) refresh(serial, now);
}

bool ImageMaps::refresh(std::uint32_t serial, Clock::time_point now) {
  const auto image = images_.find(serial);
  if (image == images_.end() || image->second.pid == 0 || now < image->second.not_before)
    return false;
  return read(image->second);
}

// What is not there any more stays until something else takes its place: stacks of before may refer
// to it. Without times, then: a stack is looked at within milliseconds.
bool ImageMaps::read(Image& image) {
  const auto start = Clock::now();
  const auto events = read_process_maps(std::to_string(image.pid));
  if (events) {
    for (const MapEvent& each : *events)
      if (each.executable && !is_known(image.map, each)) image.map.add(each);
  }
  const auto end = Clock::now();
  image.last_read = end;
  image.not_before =
      end + std::max<Clock::duration>(kShortestInterval, kRestPerReading * (end - start));
  return events && !events->empty();
}

}  // namespace prof::unwind
