#include "collector/session/admission/slow_peers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace prof::session {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

base::UniqueFd any_file() { return base::UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

const SlowPeers::Time kStart{seconds(1000)};

TEST(SlowPeers, GivesEachConnectionBackOnce) {
  SlowPeers peers(4);
  base::UniqueFd file = any_file();
  const int number = file.get();
  peers.add(std::move(file), kStart);
  EXPECT_FALSE(peers.take(number + 1));
  EXPECT_EQ(peers.take(number).get(), number);
  EXPECT_FALSE(peers.take(number));
}

TEST(SlowPeers, DropsExpiredPeers) {
  SlowPeers peers(4);
  peers.add(any_file(), kStart);
  peers.add(any_file(), kStart + seconds(1));
  peers.drop_expired(kStart + milliseconds(1900));
  EXPECT_EQ(peers.size(), 2U);
  peers.drop_expired(kStart + milliseconds(2100));
  EXPECT_EQ(peers.size(), 1U);
}

TEST(SlowPeers, TheOldestMakesRoomIfItHadEnoughTime) {
  SlowPeers peers(2);
  base::UniqueFd first = any_file();
  const int oldest = first.get();
  peers.add(std::move(first), kStart);
  EXPECT_TRUE(peers.make_room(kStart));
  peers.add(any_file(), kStart + milliseconds(50));
  EXPECT_FALSE(peers.make_room(kStart + milliseconds(60)));
  EXPECT_TRUE(peers.make_room(kStart + milliseconds(110)));
  EXPECT_EQ(peers.size(), 1U);
  EXPECT_FALSE(peers.take(oldest));
}

TEST(SlowPeers, ReportsReadyPeersOldestFirst) {
  SlowPeers peers(4);
  std::vector<int> ours;
  std::vector<base::UniqueFd> theirs;
  for (int i = 0; i < 3; ++i) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    theirs.emplace_back(ends[1]);
    // The latest first, so that no order of numbers is the right one by chance.
    ours.insert(ours.begin(), ends[0]);
    peers.add(base::UniqueFd(ends[0]), kStart - seconds(i));
  }
  EXPECT_TRUE(peers.ready().empty());
  ASSERT_EQ(write(theirs[0].get(), "x", 1), 1);
  theirs[2].reset();
  EXPECT_EQ(peers.ready(), (std::vector<int>{ours[0], ours[2]}));
}

}  // namespace
}  // namespace prof::session
