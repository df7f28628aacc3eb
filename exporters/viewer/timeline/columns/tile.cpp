#include "exporters/viewer/timeline/columns/tile.hpp"

#include <bit>
#include <cstring>
#include <vector>

namespace prof::timeline {

namespace {

static_assert(std::endian::native == std::endian::little, "columns are copied as they are");

constexpr std::uint32_t kMagic = 0x314c5450;  // "PTL1"
constexpr std::uint32_t kFromSample = 1;
enum Style : std::uint8_t { kEventTile, kValueTile, kDensityTile };

enum ElementFlag : std::uint16_t {
  kSeveral = 0x01,
  kNoEnd = 0x02,
  kBeganBefore = 0x04,
  kGoesOn = 0x08,
  kHasLinks = 0x10,
  kIsInstant = 0x20,
  kIsOnPath = 0x40,
};
constexpr int kSourceShift = 8;

struct Header {
  std::uint32_t magic;
  std::uint32_t bytes;
  std::uint32_t row;
  std::uint32_t count;
  std::int64_t base;
  std::uint32_t version;
  std::uint16_t lanes;
  std::uint8_t level;
  std::uint8_t style;
  std::uint32_t flags;
  std::uint32_t unused;
};
static_assert(sizeof(Header) == 40);

// The text of a tile: a header, and columns that are aligned to 8 bytes.
class TileText {
 public:
  TileText() : text_(sizeof(Header), '\0') {}

  template <class T>
  void add(const std::vector<T>& column) {
    if (!column.empty()) {
      const std::size_t at = text_.size();
      text_.resize(at + column.size() * sizeof(T));
      std::memcpy(text_.data() + at, column.data(), column.size() * sizeof(T));
    }
    text_.resize((text_.size() + 7) / 8 * 8);
  }
  std::string finish(Header header) {
    header.bytes = static_cast<std::uint32_t>(text_.size());
    std::memcpy(text_.data(), &header, sizeof(header));
    return std::move(text_);
  }

 private:
  std::string text_;
};

struct EventColumns {
  std::vector<std::uint32_t> start, width, name, id, events;
  std::vector<std::uint16_t> lane, flags;
};

// Collects the elements of one lane after another.
class EventTile {
 public:
  EventTile(const RowData& data, const TileGrid& grid)
      : data_(data), events_(*data.events), grid_(grid) {
    for (lane_ = 0; lane_ < events_.lanes(); ++lane_) add_lane();
  }
  EventColumns columns;

 private:
  void add_lane() {
    const std::size_t end = events_.end(lane_);
    std::size_t i = events_.first_shown(lane_, grid_.base);
    while (i < end && events_.start(i) < grid_.end()) {
      const std::size_t next = is_wide(i) ? i + 1 : end_of_step(i);
      add(i, next);
      i = next;
    }
  }
  bool is_wide(std::size_t i) const {
    return events_.shown_end(i) - events_.start(i) >= grid_.step();
  }
  // Returns the end of the events that become one element: they start in the same step as this
  // event and are narrower than a step.
  std::size_t end_of_step(std::size_t i) const {
    const std::int64_t step = grid_.step_of(events_.start(i));
    const std::size_t next = events_.first_from(lane_, i, grid_.step_start(step + 1));
    return next - 1 > i && is_wide(next - 1) ? next - 1 : next;
  }

  void add(std::size_t from, std::size_t to) {
    const std::size_t shown = to - from == 1 ? from : events_.longest(from, to);
    const std::int64_t end = events_.shown_end(to - 1);
    const std::uint32_t start = grid_.units(events_.start(from));
    columns.start.push_back(start);
    columns.width.push_back(grid_.units(end) - start);
    columns.name.push_back(events_.name(shown));
    columns.id.push_back(events_.id(shown));
    columns.events.push_back(static_cast<std::uint32_t>(to - from));
    columns.lane.push_back(static_cast<std::uint16_t>(lane_));
    int flags = events_.source(shown) << kSourceShift;
    if (to - from > 1) flags |= kSeveral;
    if (events_.has(shown, kOpenEnd)) flags |= kNoEnd;
    if (events_.start(from) < grid_.base) flags |= kBeganBefore;
    if (end > grid_.end()) flags |= kGoesOn;
    if (data_.is_linked(shown)) flags |= kHasLinks;
    if (events_.has(shown, kInstant)) flags |= kIsInstant;
    if (data_.is_on_path(from, to)) flags |= kIsOnPath;
    columns.flags.push_back(static_cast<std::uint16_t>(flags));
  }

  const RowData& data_;
  const EventLanes& events_;
  const TileGrid& grid_;
  std::uint32_t lane_ = 0;
};

std::string event_tile(const RowData& data, const TileGrid& grid, Header header) {
  const EventTile tile(data, grid);
  const EventColumns& columns = tile.columns;
  header.count = static_cast<std::uint32_t>(columns.start.size());
  header.lanes = static_cast<std::uint16_t>(data.events->lanes());
  header.style = kEventTile;
  TileText text;
  text.add(columns.start);
  text.add(columns.width);
  text.add(columns.name);
  text.add(columns.id);
  text.add(columns.events);
  text.add(columns.lane);
  text.add(columns.flags);
  return text.finish(header);
}

struct ValueColumns {
  std::vector<double> min, max, last;
  std::vector<std::uint32_t> start;
  std::vector<std::uint16_t> lane;
};

void add_values(const CounterLanes& counter, std::uint32_t lane, const TileGrid& grid,
                ValueColumns& columns) {
  const std::vector<Sample>& samples = counter.samples(lane);
  const auto add = [&](std::size_t from, std::size_t to, std::uint32_t start) {
    const auto [min, max] = counter.range(lane, from, to);
    columns.min.push_back(min);
    columns.max.push_back(max);
    columns.last.push_back(samples[to - 1].value);
    columns.start.push_back(start);
    columns.lane.push_back(static_cast<std::uint16_t>(lane));
  };
  std::size_t i = counter.first_from(lane, grid.base);
  if (i > 0) add(i - 1, i, 0);
  while (i < samples.size() && samples[i].time < grid.end()) {
    const std::int64_t step = grid.step_of(samples[i].time);
    std::size_t next = i + 1;
    if (next < samples.size() && samples[next].time < grid.step_start(step + 1))
      next = counter.first_from(lane, grid.step_start(step + 1));
    add(i, next, grid.units(samples[i].time));
    i = next;
  }
}

std::string value_tile(const CounterLanes& counter, const TileGrid& grid, Header header) {
  ValueColumns columns;
  for (std::uint32_t lane = 0; lane < counter.lanes(); ++lane)
    add_values(counter, lane, grid, columns);
  header.count = static_cast<std::uint32_t>(columns.start.size());
  header.lanes = static_cast<std::uint16_t>(counter.lanes());
  header.style = kValueTile;
  TileText text;
  text.add(columns.min);
  text.add(columns.max);
  text.add(columns.last);
  text.add(columns.start);
  text.add(columns.lane);
  return text.finish(header);
}

std::string density_tile(const Density* density, const TileGrid& grid, Header header) {
  std::vector<std::uint32_t> start, width, name;
  std::vector<float> busy;
  const auto steps = density == nullptr ? std::vector<Density::Step>()
                                        : density->steps(grid.base, grid.step(), TileGrid::kSteps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].busy <= 0) continue;
    const std::uint32_t from = grid.units(grid.step_start(static_cast<std::int64_t>(i)));
    const std::uint32_t to = grid.units(grid.step_start(static_cast<std::int64_t>(i) + 1));
    const bool goes_on = !start.empty() && start.back() + width.back() == from &&
                         name.back() == steps[i].name && busy.back() == steps[i].busy;
    if (goes_on) {
      width.back() = to - start.back();
      continue;
    }
    start.push_back(from);
    width.push_back(to - from);
    name.push_back(steps[i].name);
    busy.push_back(steps[i].busy);
  }
  header.count = static_cast<std::uint32_t>(start.size());
  header.lanes = 1;
  header.style = kDensityTile;
  TileText text;
  text.add(start);
  text.add(width);
  text.add(name);
  text.add(busy);
  return text.finish(header);
}

}  // namespace

std::string make_tile(const Row& row, const RowData& data, const TileGrid& grid,
                      std::int64_t base) {
  Header header{};
  header.magic = kMagic;
  header.row = row.id;
  header.base = base;
  header.version = row.version;
  header.level = static_cast<std::uint8_t>(grid.level);
  header.flags = data.exact ? 0 : kFromSample;
  if (data.events) return event_tile(data, grid, header);
  if (data.counter) return value_tile(*data.counter, grid, header);
  if (data.later) return value_tile(data.later->get(), grid, header);
  return density_tile(data.density.get(), grid, header);
}

}  // namespace prof::timeline
