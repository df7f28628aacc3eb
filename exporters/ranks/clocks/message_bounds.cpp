#include "exporters/ranks/clocks/message_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "exporters/ranks/messages/message_matching.hpp"

namespace prof::ranks {

namespace {

constexpr double kFarAway = std::numeric_limits<double>::infinity();

// Calls `most(time, value)` with what d is at most, and `least` with what it is at least. Times are
// those of a's clock.
template <class Most, class Least>
void for_each_bound(const MessagePair& pair, Most most, Least least) {
  for (const MessageTimes& each : pair.from_a)
    most(static_cast<double>(each.sent), static_cast<double>(each.received - each.sent));
  for (const MessageTimes& each : pair.from_b)
    least(static_cast<double>(each.received), static_cast<double>(each.sent - each.received));
}

// The messages of a part of the time.
struct Window {
  double most = kFarAway;
  double least = -kFarAway;
  double time = 0;  // ns: its middle
  bool has_both() const { return most != kFarAway && least != -kFarAway; }
  double level() const { return (most + least) / 2; }
};

}  // namespace

std::vector<MessagePair> match_machines(const std::vector<MachineMessages>& all) {
  // Communicator, sender, receiver, tag.
  using Way = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;
  struct Sides {
    const MachineMessages* sender = nullptr;
    const MachineMessages* receiver = nullptr;
  };
  std::map<Way, Sides> ways;
  for (const MachineMessages& each : all) {
    const MessageSequence& of = each.sequence;
    Sides& sides = ways[{of.communicator, of.is_send ? of.own : of.peer,
                         of.is_send ? of.peer : of.own, of.tag}];
    const MachineMessages*& side = of.is_send ? sides.sender : sides.receiver;
    if (side == nullptr) side = &each;
  }
  std::map<std::pair<std::size_t, std::size_t>, MessagePair> pairs;
  for (const auto& [way, sides] : ways) {
    if (sides.sender == nullptr || sides.receiver == nullptr) continue;
    const std::size_t from = sides.sender->machine;
    const std::size_t to = sides.receiver->machine;
    if (from == to) continue;
    MessagePair& pair = pairs.try_emplace(std::minmax(from, to)).first->second;
    std::tie(pair.a, pair.b) = std::minmax(from, to);
    const std::vector<Message>& sent = sides.sender->sequence.messages;
    const std::vector<Message>& received = sides.receiver->sequence.messages;
    const bool can_miss = !sides.receiver->sequence.has_gaps;
    for (const MatchedMessage& each : match_messages(sent, received, std::nullopt, can_miss))
      if (received[each.received].is_end_known)
        (from == pair.a ? pair.from_a : pair.from_b)
            .push_back({sent[each.sent].start, received[each.received].end});
  }
  std::vector<MessagePair> result;
  for (auto& [machines, pair] : pairs)
    if (!pair.from_a.empty() || !pair.from_b.empty()) result.push_back(std::move(pair));
  return result;
}

DifferenceRange range_of(const MessagePair& pair, const DifferenceLine& line) {
  DifferenceRange range{-kFarAway, kFarAway};
  const auto beyond = [&](double time, double value) {
    return value - line.offset - line.drift * (time - line.middle);
  };
  for_each_bound(
      pair,
      [&](double time, double value) { range.most = std::min(range.most, beyond(time, value)); },
      [&](double time, double value) { range.least = std::max(range.least, beyond(time, value)); });
  return range;
}

DifferenceRange range_at_all_times(const std::vector<MessageBound>& least,
                                   const std::vector<MessageBound>& most) {
  constexpr std::size_t kParts = 8;
  double first = kFarAway;
  double last = -kFarAway;
  for (const auto* side : {&least, &most})
    for (const MessageBound& each : *side) {
      first = std::min(first, each.time);
      last = std::max(last, each.time);
    }
  std::array<Window, kParts> parts;
  Window all;
  const auto part_at = [&](double time) -> Window& {
    const double part = last > first ? (time - first) / (last - first) * kParts : 0;
    return parts[std::min(kParts - 1, static_cast<std::size_t>(part))];
  };
  for (const MessageBound& each : least)
    for (Window* window : {&all, &part_at(each.time)})
      window->least = std::max(window->least, each.value);
  for (const MessageBound& each : most)
    for (Window* window : {&all, &part_at(each.time)})
      window->most = std::min(window->most, each.value);
  DifferenceRange range{kFarAway, -kFarAway};
  for (const Window& part : parts) {
    if (!part.has_both()) continue;
    range.least = std::min(range.least, part.least);
    range.most = std::max(range.most, part.most);
  }
  return range.least <= range.most ? range : DifferenceRange{all.least, all.most};
}

std::optional<DifferenceLine> line_of(const MessagePair& pair) {
  constexpr std::size_t kWindows = 8;
  DifferenceLine line;
  line.first = kFarAway;
  line.last = -kFarAway;
  const auto widen = [&](double time, double) {
    line.first = std::min(line.first, time);
    line.last = std::max(line.last, time);
  };
  for_each_bound(pair, widen, widen);
  if (!(line.last > line.first)) return std::nullopt;
  line.middle = (line.first + line.last) / 2;
  const double length = (line.last - line.first) / kWindows;
  std::array<Window, kWindows> windows;
  const auto window_at = [&](double time) -> Window& {
    return windows[std::min(kWindows - 1, static_cast<std::size_t>((time - line.first) / length))];
  };
  for_each_bound(
      pair,
      [&](double time, double value) {
        window_at(time).most = std::min(window_at(time).most, value);
      },
      [&](double time, double value) {
        window_at(time).least = std::max(window_at(time).least, value);
      });
  double count = 0;
  double time = 0;
  double level = 0;
  for (std::size_t i = 0; i < kWindows; ++i) {
    Window& each = windows[i];
    each.time = (static_cast<double>(i) + 0.5) * length + line.first - line.middle;
    if (!each.has_both()) continue;
    ++count;
    time += each.time;
    level += each.level();
  }
  if (count == 0) return std::nullopt;
  double square = 0;
  double product = 0;
  for (const Window& each : windows) {
    if (!each.has_both()) continue;
    square += (each.time - time / count) * (each.time - time / count);
    product += (each.time - time / count) * (each.level() - level / count);
  }
  line.drift = square > 0 ? product / square : 0;
  line.offset = level / count - line.drift * time / count;
  const DifferenceRange left = range_of(pair, line);
  line.offset += (left.least + left.most) / 2;
  return line;
}

}  // namespace prof::ranks
