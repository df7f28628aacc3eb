#include "common/code/unwind/image_maps.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "common/base/raw_time.hpp"

namespace prof::unwind {

namespace {

constexpr auto kShortestInterval = std::chrono::milliseconds(5);
constexpr int kRestPerReading = 10;
constexpr int kMaxEarlyReadings = 64;
constexpr auto kEarlyReadingEvery = std::chrono::milliseconds(50);

// The maximum number of unloadings that are stored. Code in the place of older ones has been seen.
constexpr std::size_t kMaxUnloadings = 256;

constexpr std::uint64_t kNow = std::numeric_limits<std::uint64_t>::max() - 1;

bool is_known(const ModuleMap& map, const MapEvent& event) {
  const Mapping* known = map.find(event.start, kNow);
  if (known == nullptr || known->start != event.start || known->end != event.start + event.length)
    return false;
  if (!known->module) return !event.path.starts_with('/');
  // The path may differ at its end: the kernel adds a remark when the file is removed.
  return event.path.starts_with(known->module->path()) && known->offset == event.offset &&
         (event.inode == 0 || known->module->identity().inode == event.inode);
}

}  // namespace

void ImageMaps::join(std::uint32_t serial, pid_t pid, std::uint32_t parent, std::uint64_t time,
                     UnloadedCode unloaded) {
  const auto before = images_.find(parent);
  const bool has_parent = before != images_.end();
  if (!has_parent) modules_.jit().exec(pid, time);
  Image image(ModuleMap(modules_, pid));
  image.pid = pid;
  image.unloaded = std::move(unloaded);
  image.joined = Clock::now();
  const bool is_there = read(image);
  if (has_parent) {
    // The parent may have loaded a library just before the fork.
    if (!is_there) refresh(parent);
    take_unloaded(before->second);
    image.map = map_of(before->second).forked(pid, time);
    image.known_time = time;
  }
  images_.insert_or_assign(serial, std::move(image));
}

void ImageMaps::end(std::uint32_t serial) {
  if (const auto image = images_.find(serial); image != images_.end()) image->second.pid = 0;
}

const ModuleMap* ImageMaps::find(std::uint32_t serial) {
  const auto image = images_.find(serial);
  return image == images_.end() ? nullptr : &map_of(image->second);
}

void ImageMaps::keep_up(std::uint32_t serial, Clock::time_point now) {
  const auto found = images_.find(serial);
  if (found == images_.end()) return;
  const Image& image = found->second;
  if (now - image.last_read >= image.last_read - image.joined) refresh(serial, now);
}

// Unloading is rare, so the usual interval does not apply. The shorter interval limits the cost of
// a program that unloads all the time.
void ImageMaps::follow_unloading(std::uint32_t serial, Clock::time_point now) {
  constexpr auto kShortest = std::chrono::milliseconds(1);
  const auto found = images_.find(serial);
  if (found == images_.end() || !found->second.unloaded) return;
  Image& image = found->second;
  const std::size_t before = image.gone.size();
  take_unloaded(image);
  if (image.gone.size() != before && image.pid != 0 && now - image.last_read >= kShortest)
    read(image);
}

bool ImageMaps::refresh(std::uint32_t serial, Clock::time_point now) {
  const auto image = images_.find(serial);
  if (image == images_.end() || image->second.pid == 0 || now < image->second.not_before)
    return false;
  return read(image->second);
}

bool ImageMaps::refresh_for_unknown(std::uint32_t serial, Clock::time_point now) {
  if (refresh(serial, now)) return true;
  const auto found = images_.find(serial);
  if (found == images_.end() || found->second.pid == 0) return false;
  Image& image = found->second;
  const auto earned = (now - image.early_since) / kEarlyReadingEvery;
  if (earned > 0) {
    image.early_readings =
        static_cast<int>(std::min<std::int64_t>(kMaxEarlyReadings, image.early_readings + earned));
    image.early_since = now;
  }
  if (image.early_readings == 0) return false;
  --image.early_readings;
  return read(image);
}

void ImageMaps::take_unloaded(Image& image) {
  if (!image.unloaded) return;
  std::vector<Unloaded> reported = image.unloaded();
  std::ranges::sort(reported, {}, &Unloaded::time);
  image.gone.insert(image.gone.end(), reported.begin(), reported.end());
}

bool ImageMaps::read(Image& image) {
  const auto start = Clock::now();
  const std::uint64_t time = base::raw_time();
  auto text = read_process_maps_text(std::to_string(image.pid));
  const bool is_there = text && !text->empty();
  if (is_there) {
    image.text = std::move(*text);
    image.text_time = time;
  }
  // Unloadings are read after the text. So a mapping in the text that replaces an unloaded library
  // is newer than the unloading.
  if (is_there) take_unloaded(image);
  image.last_read = Clock::now();
  image.not_before =
      image.last_read +
      std::max<Clock::duration>(kShortestInterval, kRestPerReading * (image.last_read - start));
  return is_there;
}

// A mapping that has gone stays in the map until another one takes its place, because older stack
// copies may refer to it. A mapping in the place of an unloaded library counts from the time of the
// unloading, or of the previous reading if nothing was reported. The time of other mappings is
// unknown, so they count from the start.
const ModuleMap& ImageMaps::map_of(Image& image) {
  std::vector<Unloaded>& gone = image.gone;
  for (; image.applied < gone.size(); ++image.applied) {
    const Unloaded& each = gone[image.applied];
    image.map.remove(each.start, each.end - each.start, each.time);
  }
  if (image.text.empty()) return image.map;
  for (MapEvent& each : parse_process_maps(image.text)) {
    if (!each.executable || is_known(image.map, each)) continue;
    each.may_be_inherited = true;
    if (image.map.is_occupied(each.start, each.start + each.length)) each.time = image.known_time;
    for (const Unloaded& before : gone)
      if (before.start < each.start + each.length && before.end > each.start)
        each.time = std::max(each.time, before.time);
    image.map.add(each);
  }
  image.known_time = image.text_time;
  image.text = {};
  if (gone.size() > kMaxUnloadings) {
    gone.erase(gone.begin(), gone.end() - kMaxUnloadings / 2);
    image.applied = gone.size();
  }
  return image.map;
}

}  // namespace prof::unwind
