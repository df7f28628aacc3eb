// Finds which message that one rank received is which one that another rank sent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exporters/ranks/messages/message_calls.hpp"

namespace prof::ranks {

// Indices of both sides of a message in their sequences.
struct MatchedMessage {
  std::uint32_t sent;
  std::uint32_t received;
  bool operator==(const MatchedMessage&) const = default;
};

// The messages of one rank to another one in a communicator with one tag.
struct MatchedDirection {
  std::uint32_t sender;  // indices of their sequences
  std::uint32_t receiver;
  bool has_common_clock;              // the times of both can be compared
  std::vector<MatchedMessage> pairs;  // in their order
};

// Matches what was sent with what was received, both in the order of start: messages do not
// overtake each other. If `can_miss`, either side may have begun to record later or ended earlier.
// Then sizes and times decide; without a common clock nothing is matched if the sizes leave a
// choice. Times are on a common clock, whose error is `clock_error` ns, if it is known.
std::vector<MatchedMessage> match_messages(const std::vector<Message>& sent,
                                           const std::vector<Message>& received,
                                           const std::optional<double>& clock_error,
                                           bool can_miss = true);

}  // namespace prof::ranks
