// How messages bound the difference of two clocks: none is received before it is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exporters/ranks/messages/message_calls.hpp"

namespace prof::ranks {

// A message from one machine to another one. Times in ns, of the sender's and the receiver's clock.
struct MessageTimes {
  std::int64_t sent;
  std::int64_t received;
};

// The messages between two machines.
struct MessagePair {
  std::size_t a;
  std::size_t b;
  std::vector<MessageTimes> from_a;
  std::vector<MessageTimes> from_b;
};

// The messages of a process, on the clock of its machine.
struct MachineMessages {
  std::size_t machine;
  MessageSequence sequence;
};

// Matches what was sent with what was received. Messages within a machine say nothing of clocks.
std::vector<MessagePair> match_machines(const std::vector<MachineMessages>& all);

// What messages say of the difference d = b's clock - a's clock, after a line was subtracted:
// offset + drift * (time of a - middle).
struct DifferenceLine {
  double offset = 0;  // ns, at `middle`
  double drift = 0;   // ns per ns
  double middle = 0;  // ns, of a's clock
  double first = 0;   // ns, of a's clock: when the messages were
  double last = 0;
};

// The range in which d - line is. Without messages of a direction, that side is unlimited.
struct DifferenceRange {
  double least;  // ns
  double most;
};
DifferenceRange range_of(const MessagePair& pair, const DifferenceLine& line);

// What one message says of a difference: it is at most, or at least, `value`.
struct MessageBound {
  double time;   // ns
  double value;  // ns
};

// Returns a range in which the difference is at all times, also if it changes a little: the widest
// one of parts of the time with messages of both directions.
DifferenceRange range_at_all_times(const std::vector<MessageBound>& least,
                                   const std::vector<MessageBound>& most);

// Returns the line in the middle of what messages allow, or nothing without messages of both
// directions at the same time.
std::optional<DifferenceLine> line_of(const MessagePair& pair);

}  // namespace prof::ranks
