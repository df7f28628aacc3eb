#include "exporters/analysis/insight/waits/peer_waits.hpp"
#include "tests/unit/exporters/gpu_fixture.hpp"

namespace prof::test {

class PeerWaits : public GpuFixture {
 protected:
  static constexpr std::int64_t kUs = 1'000;
  static constexpr int kAllReduce = 10;
  static constexpr int kBroadcast = 11;

  PeerWaits() {
    sql("INSERT INTO StringIds VALUES "
        "(10,'ncclDevKernel_AllReduce'),(11,'ncclDevKernel_Broadcast')");
  }
  // A kernel of a process that has a GPU for itself.
  void kernel(std::int64_t pid, std::int64_t start, std::int64_t end, int name = kAllReduce,
              int stream = 7) {
    add({start * kUs, end * kUs, 0, 0, stream, name, pid});
  }
  struct Wait {
    std::int64_t pid;
    std::int64_t peer;
    std::int64_t start;  // us
    std::int64_t end;
    bool operator==(const Wait&) const = default;
  };
  std::vector<Wait> waits() {
    const auto file = reader();
    const auto work = insight::GpuWork::read(file);
    std::vector<Wait> result;
    const auto pid = [&](std::uint32_t device) {
      return (work->devices()[device].global_pid >> 24) & 0xffffff;
    };
    for (const insight::PeerWait& each : insight::peer_waits(*work))
      result.push_back(
          {pid(each.device), pid(each.peer), each.time.start / kUs, each.time.end / kUs});
    return result;
  }
};

TEST_F(PeerWaits, TheFirstWaitsForTheLast) {
  kernel(8, 100, 900);
  kernel(9, 300, 900);
  kernel(10, 700, 900);
  const std::vector<Wait> expected = {{8, 10, 100, 700}, {9, 10, 300, 700}};
  EXPECT_EQ(waits(), expected);
}

TEST_F(PeerWaits, NotForWhatIsOverOrHasAnotherName) {
  kernel(8, 100, 200);
  kernel(9, 300, 400);
  kernel(8, 500, 900);
  kernel(9, 700, 900, kBroadcast);
  EXPECT_EQ(waits(), std::vector<Wait>());
}

TEST_F(PeerWaits, SmallDifferencesAreNormal) {
  kernel(8, 100, 900);
  kernel(9, 119, 900);
  EXPECT_EQ(waits(), std::vector<Wait>());
}

TEST_F(PeerWaits, AKernelOfTheNextRoundDoesNotCount) {
  kernel(8, 100, 500);
  kernel(9, 300, 510);
  kernel(8, 505, 600);
  kernel(9, 515, 600);
  const std::vector<Wait> expected = {{8, 9, 100, 300}};
  EXPECT_EQ(waits(), expected);
}

TEST_F(PeerWaits, ADeviceThatComputesDoesNotWait) {
  kernel(8, 100, 900);
  kernel(8, 100, 400, 2, 8);
  kernel(9, 700, 900);
  const std::vector<Wait> expected = {{8, 9, 400, 700}};
  EXPECT_EQ(waits(), expected);
}

}  // namespace prof::test
