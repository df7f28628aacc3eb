#include "collector/session/admission/slow_peers.hpp"

#include <poll.h>
#include <sys/resource.h>

#include <algorithm>

namespace prof::session {

using std::chrono::milliseconds;

namespace {
constexpr auto kFairChance = milliseconds(100);    // used if others are waiting
constexpr auto kTimeToSpeak = milliseconds(2000);  // as long as a process waits for the reply
constexpr std::size_t kMaxPeers = 1024;
}  // namespace

std::size_t SlowPeers::affordable() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 16;
  return std::min<std::size_t>(kMaxPeers, limit.rlim_cur / 4);
}

bool SlowPeers::make_room(Time now) {
  if (peers_.size() < most_) return true;
  const auto oldest = std::min_element(
      peers_.begin(), peers_.end(),
      [](const auto& a, const auto& b) { return a.second.since < b.second.since; });
  if (oldest == peers_.end() || now - oldest->second.since < kFairChance) return false;
  peers_.erase(oldest);
  return true;
}

void SlowPeers::add(base::UniqueFd connection, Time now) {
  const int fd = connection.get();
  peers_[fd] = {std::move(connection), now};
}

base::UniqueFd SlowPeers::take(int fd) {
  const auto found = peers_.find(fd);
  if (found == peers_.end()) return {};
  base::UniqueFd connection = std::move(found->second.connection);
  peers_.erase(found);
  return connection;
}

std::vector<int> SlowPeers::ready() const {
  std::vector<pollfd> polled;
  for (const auto& [fd, peer] : peers_) polled.push_back({fd, POLLIN, 0});
  std::vector<int> ready;
  if (polled.empty() || poll(polled.data(), polled.size(), 0) <= 0) return ready;
  for (const pollfd& each : polled)
    if (each.revents != 0) ready.push_back(each.fd);
  std::sort(ready.begin(), ready.end(),
            [this](int one, int other) { return peers_.at(one).since < peers_.at(other).since; });
  return ready;
}

void SlowPeers::drop_expired(Time now) {
  std::erase_if(peers_, [&](const auto& peer) { return now - peer.second.since >= kTimeToSpeak; });
}

}  // namespace prof::session
