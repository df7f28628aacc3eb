// Each report has a program with the problem, or one like it without the problem.
#include "tests/unit/exporters/analysis/analyze/program_fixture.hpp"

namespace prof::test {

namespace {

class ThreadCreationTest : public ProgramFixture {
 protected:
  // The main thread starts threads that run for a while. Each start takes 1 ms.
  void start(int count, std::int64_t run) {
    std::int64_t now = 1;
    in(0, 9);
    for (int i = 0; i < count; ++i) {
      call(now, now + 1, "pthread_create");
      now += 1;
      out(now, 9);
      in(now, 100 + i);
      now += run;
      out(now, 100 + i, kEnds);
      in(now, 9);
    }
    ends(now + 1);
    out(now + 1, 9, kEnds);
  }
  analyze::Finding find() {
    auto facts = this->facts();
    return plain(analyze::thread_creation(facts));
  }
};

TEST_F(ThreadCreationTest, ThreadsThatLiveShortly) {
  start(150, 1);
  const analyze::Finding found = find();
  EXPECT_EQ(found.at_stake, 150 * kMs);
  EXPECT_EQ(found.evidence.substr(0, found.evidence.find(", by")),
            "150 threads of 1 ms on average, of which they run for 1 ms; 150 calls of "
            "pthread_create, median 1 ms");
}

TEST_F(ThreadCreationTest, ThreadsThatAreWorthTheirStart) {
  start(150, 10);
  EXPECT_EQ(find().at_stake, 0);
}

TEST_F(ThreadCreationTest, AFewThreads) {
  start(20, 1);
  EXPECT_EQ(find().at_stake, 0);
}

}  // namespace

}  // namespace prof::test
