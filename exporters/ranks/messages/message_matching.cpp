#include "exporters/ranks/messages/message_matching.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace prof::ranks {

namespace {

// More messages than these are not looked for before the first one that the other side has.
constexpr std::int64_t kMostMissing = 4096;
constexpr std::int64_t kComparedMessages = 256;

bool has_size_of(const Message& sent, const Message& received) {
  return sent.bytes < 0 || received.bytes < 0 || sent.bytes <= received.bytes;
}

class MessageComparison {
 public:
  MessageComparison(const std::vector<Message>& sent, const std::vector<Message>& received,
                    const std::optional<double>& clock_error)
      : sent_(sent), received_(received), clock_error_(clock_error) {}

  bool fits(const Message& sent, const Message& received) const {
    if (!has_size_of(sent, received)) return false;
    return !clock_error_ || static_cast<double>(sent.start - received.end) <= *clock_error_;
  }

  // How well it fits that received message i is sent message i + shift.
  struct MatchScore {
    std::int64_t fitting = 0;  // minus those that do not fit
    double lag = 0;            // ns: from the sends to the ends of the receipts, summed up
    bool operator==(const MatchScore&) const = default;
    bool is_better_than(const MatchScore& other) const {
      return fitting != other.fitting ? fitting > other.fitting : lag < other.lag;
    }
  };

  MatchScore score(std::int64_t shift) const {
    MatchScore result;
    const auto [first, end] = overlap(shift);
    for (std::int64_t i = first; i < std::min(end, first + kComparedMessages); ++i) {
      const Message& sent = sent_[static_cast<std::size_t>(i + shift)];
      const Message& received = received_[static_cast<std::size_t>(i)];
      result.fitting += fits(sent, received) ? 1 : -1;
      if (clock_error_) result.lag += std::abs(static_cast<double>(received.end - sent.start));
    }
    return result;
  }

  // The received messages that have a sent one: from the first to before the second.
  std::pair<std::int64_t, std::int64_t> overlap(std::int64_t shift) const {
    const auto sent = static_cast<std::int64_t>(sent_.size());
    const auto received = static_cast<std::int64_t>(received_.size());
    return {std::max<std::int64_t>(0, -shift), std::min(received, sent - shift)};
  }

  std::vector<MatchedMessage> pairs(std::int64_t shift) const {
    std::vector<MatchedMessage> result;
    const auto [first, end] = overlap(shift);
    for (std::int64_t i = first; i < end; ++i)
      if (fits(sent_[static_cast<std::size_t>(i + shift)], received_[static_cast<std::size_t>(i)]))
        result.push_back({static_cast<std::uint32_t>(i + shift), static_cast<std::uint32_t>(i)});
    return result;
  }

 private:
  const std::vector<Message>& sent_;
  const std::vector<Message>& received_;
  const std::optional<double>& clock_error_;
};

}  // namespace

std::vector<MatchedMessage> match_messages(const std::vector<Message>& sent,
                                           const std::vector<Message>& received,
                                           const std::optional<double>& clock_error,
                                           bool can_miss) {
  if (sent.empty() || received.empty()) return {};
  const MessageComparison all(sent, received, clock_error);
  const auto more =
      static_cast<std::int64_t>(sent.size()) - static_cast<std::int64_t>(received.size());
  if (!can_miss && more != 0) return {};
  // Usually both sides have recorded the first message, or both have recorded the last one.
  std::vector<MatchedMessage> from_first = all.pairs(0);
  std::vector<MatchedMessage> to_last = all.pairs(more);
  const std::size_t count = std::min(sent.size(), received.size());
  const bool fits_from_first = from_first.size() == count;
  const bool fits_to_last = to_last.size() == count;
  if (fits_from_first && (!fits_to_last || more == 0)) return from_first;
  if (fits_to_last && !fits_from_first) return to_last;
  if (fits_from_first && clock_error)
    return all.score(more).is_better_than(all.score(0)) ? to_last : from_first;
  if (fits_from_first || !can_miss) return {};
  const auto most = [](const std::vector<Message>& side) {
    return std::min<std::int64_t>(kMostMissing, static_cast<std::int64_t>(side.size()) - 1);
  };
  MessageComparison::MatchScore best;
  std::int64_t best_shift = 0;
  int equal = 0;  // shifts that fit as well as the best one
  for (std::int64_t shift = -most(received); shift <= most(sent); ++shift) {
    const MessageComparison::MatchScore score = all.score(shift);
    if (score == best) ++equal;
    if (!score.is_better_than(best)) continue;
    best = score;
    best_shift = shift;
    equal = 1;
  }
  if (best.fitting <= 0 || equal != 1) return {};
  return all.pairs(best_shift);
}

}  // namespace prof::ranks
