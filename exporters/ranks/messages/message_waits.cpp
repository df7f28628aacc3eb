#include "exporters/ranks/messages/message_waits.hpp"

#include <algorithm>

namespace prof::ranks {

std::optional<MessageWaits> waits_of(const JobCollectives& job, const MatchedDirection& messages,
                                     const MatchedMessage& pair) {
  constexpr std::int64_t kLeastOfSender = 10'000;  // ns
  if (!messages.has_common_clock) return std::nullopt;
  const Message& sent = job.messages[messages.sender].of.messages[pair.sent];
  const Message& received = job.messages[messages.receiver].of.messages[pair.received];
  const auto sender = [&](std::int64_t time) {
    return job.alignment.common(job.messages[messages.sender].report, time);
  };
  const auto receiver = [&](std::int64_t time) {
    return job.alignment.common(job.messages[messages.receiver].report, time);
  };
  const std::int64_t send_start = sender(sent.start);
  const std::int64_t receive_start = receiver(received.start);
  const std::int64_t receive_end = receiver(received.end);
  MessageWaits result{};
  result.receiver =
      std::max<std::int64_t>(0, std::min(send_start, receive_end) - receiver(received.wait_start));
  result.transfer = std::max<std::int64_t>(0, receive_end - std::max(send_start, receive_start));
  const std::int64_t blocked = receive_start - sender(sent.wait_start);
  const std::int64_t sent_end = sender(sent.end);
  if (blocked >= kLeastOfSender && receive_start <= sent_end &&
      sent_end - receive_end <= std::max(kLeastOfSender, result.transfer))
    result.sender = blocked;
  return result;
}

}  // namespace prof::ranks
