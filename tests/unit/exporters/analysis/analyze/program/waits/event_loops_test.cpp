#include "tests/unit/exporters/analysis/analyze/program/waits/wait_fixture.hpp"

namespace prof::test {

namespace {

const TestFrame kLoopFrame =
    python_frame("BaseEventLoop._run_once", "/lib/python3.12/asyncio/base_events.py", 9);
const TestFrame kSelectFrame =
    python_frame("EpollSelector.select", "/lib/python3.12/selectors.py", 7);
const TestFrame kPythonMain = python_frame("main", "/home/me/app.py", 90);

class EventLoopFindings : public WaitFindings {
 protected:
  // Turns of the loop that take `busy` ms, after waits of 10 ms.
  void turns(int count, std::int64_t busy) {
    run(0);
    std::int64_t now = 1;
    for (int i = 0; i <= count; ++i) {
      wait(now * kMs);
      add_os_call(now * kMs, (now + 10) * kMs, "epoll_wait");
      python_waits({(now + 5) * kMs}, {kSelectFrame, kLoopFrame, kPythonMain});
      now += 10;
      run(now * kMs);
      if (i < count) starts_.push_back(now);
      now += i < count ? busy : 1;
    }
    end(now * kMs);
  }
  void python_runs(std::int64_t from, std::int64_t to, const std::vector<TestFrame>& frames) {
    std::vector<std::int64_t> times;
    for (std::int64_t ms = from; ms < to; ++ms) times.push_back(ms * kMs);
    add_python("PROF_PYTHON_SAMPLES", times, frames, 9);
  }
  void unrecorded_polls(int count) {
    sql("CREATE TABLE PROF_SHORT_CALLS (globalTid, nameId, calls, duration);"
        "INSERT INTO PROF_SHORT_CALLS VALUES (" +
        std::to_string(global_id(9, 9)) + "," + text("epoll_wait") + "," + std::to_string(count) +
        ",1000)");
  }

  std::vector<std::int64_t> starts_;  // ms
};

TEST_F(EventLoopFindings, ACallbackThatComputes) {
  turns(5, 100);
  for (const std::int64_t start : starts_)
    python_runs(start + 1, start + 100,
                {python_frame("checksum", "/home/me/app.py", 5),
                 python_frame("handle", "/home/me/app.py", 18),
                 python_frame("Handle._run", "/lib/python3.12/asyncio/events.py", 80), kLoopFrame,
                 kPythonMain});
  const Finding found = find(analyze::event_loop_blocked);
  EXPECT_EQ(found.at_stake, 500 * kMs);
  EXPECT_EQ(found.evidence,
            "5 turns of 50 ms and more, 100 ms on average, 100 ms at most; 100 % of it in checksum "
            "(/home/me/app.py:5), called by handle (/home/me/app.py:18)");
  unrecorded_polls(5);  // the turns are still long if each of them is two
  EXPECT_EQ(find(analyze::event_loop_blocked).at_stake, 500 * kMs);
}

TEST_F(EventLoopFindings, ManyTurnsBetweenTwoRecordedCalls) {
  turns(5, 100);
  unrecorded_polls(500);
  EXPECT_EQ(find(analyze::event_loop_blocked).at_stake, 0);
}

TEST_F(EventLoopFindings, SamplesOfTheLoopItselfSpeakAgainstOneTurn) {
  turns(5, 100);
  for (const std::int64_t start : starts_)
    python_runs(start + 50, start + 54, {kLoopFrame, kPythonMain});
  EXPECT_EQ(find(analyze::event_loop_blocked).at_stake, 0);
}

TEST_F(EventLoopFindings, ShortTurns) {
  turns(50, 20);
  EXPECT_EQ(find(analyze::event_loop_blocked).at_stake, 0);
}

TEST_F(EventLoopFindings, ThreadsWithoutAnEventLoop) {
  turns(5, 100);
  sql("DELETE FROM PROF_PYTHON_WAITS");
  EXPECT_EQ(find(analyze::event_loop_blocked).at_stake, 0);
}

TEST_F(EventLoopFindings, TimersOfALoopAreNoPolling) {
  turns(20, 1);
  EXPECT_EQ(find(analyze::polling).at_stake, 0);
  sql("DELETE FROM PROF_PYTHON_WAITS");
  EXPECT_GT(find(analyze::polling).at_stake, 0);
}

// A flush for each line is a problem, also in a short program. A few flushes are not.
TEST_F(WaitFindings, FlushesOfAShortProgram) {
  run(0);
  for (int i = 0; i < 12; ++i) {
    wait((i + 1) * kMs);
    add_os_call((i + 1) * kMs, (i + 2) * kMs, "fsync");
    run((i + 2) * kMs);
  }
  end(30 * kMs);
  EXPECT_EQ(find(analyze::disk_flush).at_stake, 12 * kMs);
  sql("DELETE FROM OSRT_API WHERE start > 3000000");
  EXPECT_EQ(find(analyze::disk_flush).at_stake, 0);
}

}  // namespace

}  // namespace prof::test
