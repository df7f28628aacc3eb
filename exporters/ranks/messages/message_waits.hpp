// How long the two sides of messages wait for each other.
#pragma once

#include <cstdint>
#include <optional>

#include "exporters/ranks/collectives/job_collectives.hpp"

namespace prof::ranks {

// Times in ns.
struct MessageWaits {
  std::int64_t receiver;  // that the receiver waits for a sender that comes later
  std::int64_t sender;    // that the sender waits for a receiver that comes later
  std::int64_t transfer;  // from when both are ready to the end of the receipt
};

// Returns nothing if the clocks of the two ranks cannot be compared. `pair` is one of
// `messages.pairs`. A small message is sent without waiting. So a sender waits for the receiver
// only if its call is over shortly after the receipt.
std::optional<MessageWaits> waits_of(const JobCollectives& job, const MatchedDirection& messages,
                                     const MatchedMessage& pair);

}  // namespace prof::ranks
