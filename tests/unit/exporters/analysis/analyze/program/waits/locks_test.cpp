#include "tests/unit/exporters/analysis/analyze/program/waits/wait_fixture.hpp"

namespace prof::test {

// Thread 10 sleeps for 80 ms with the lock. Thread 9 waits for it. Thread 11 waits for a signal.
TEST_F(WaitFindings, ALockIsHeldByTheOnlyThreadThatDoesNotWait) {
  run(0, 10);
  run(0, 9);
  run(0, 11);
  wait(1 * kMs, 11);
  add_os_call(1 * kMs, 100 * kMs, "pthread_cond_wait", 0, 0, 11);
  wait(10 * kMs, 10);
  add_os_call(10 * kMs, 90 * kMs, "usleep", 0, 0, 10);
  wait(10 * kMs, 9);
  add_os_call(10 * kMs, 90 * kMs, "pthread_mutex_lock");
  run(90 * kMs, 9);
  run(90 * kMs, 10);
  for (const std::int64_t tid : {9, 10, 11}) end(100 * kMs, tid);
  const Finding found = find(analyze::lock_waits);
  EXPECT_EQ(found.at_stake, 80 * kMs);
  EXPECT_NE(found.evidence.find("1 call of pthread_mutex_lock, median 80 ms"), std::string::npos)
      << found.evidence;
  EXPECT_NE(found.evidence.find("; held by thread 10 (worker)"), std::string::npos)
      << found.evidence;
  EXPECT_NE(found.evidence.find("most of it in usleep (100 %)"), std::string::npos)
      << found.evidence;
  ASSERT_TRUE(found.where);
  EXPECT_EQ(found.where->thread, global_id(9, 9));
  EXPECT_EQ(found.where->time, (insight::Interval{10 * kMs, 90 * kMs}));
}

// Thread 11 waits for clients, and thread 12 for data that may never come. Neither lets others
// wait.
TEST_F(WaitFindings, AThreadThatWaitsForClientsHoldsNoLock) {
  for (const std::int64_t tid : {9, 10, 11, 12}) run(0, tid);
  for (const std::int64_t tid : {11, 12}) wait(1 * kMs, tid);
  add_os_call(1 * kMs, 100 * kMs, "poll", 0, 0, 11);
  add_os_call(1 * kMs, 100 * kMs, "recv", 0, 0, 12);
  wait(10 * kMs, 9);
  add_os_call(10 * kMs, 90 * kMs, "pthread_mutex_lock");
  run(90 * kMs, 9);
  for (const std::int64_t tid : {9, 10, 11, 12}) end(100 * kMs, tid);
  const Finding found = find(analyze::lock_waits);
  EXPECT_NE(found.evidence.find("; held by thread 10 (worker), which was active in 100 %"),
            std::string::npos)
      << found.evidence;
  EXPECT_EQ(found.evidence.find("poll"), std::string::npos) << found.evidence;
  EXPECT_EQ(found.evidence.find("recv"), std::string::npos) << found.evidence;
}

// Threads 10 and 11 both run while thread 9 waits: either may hold the lock.
TEST_F(WaitFindings, OneOfSeveralThreadsProbablyHoldsALock) {
  for (const std::int64_t tid : {9, 10, 11}) run(0, tid);
  wait(10 * kMs);
  add_os_call(10 * kMs, 90 * kMs, "pthread_mutex_lock");
  run(90 * kMs);
  for (const std::int64_t tid : {9, 10, 11}) end(100 * kMs, tid);
  const Finding found = find(analyze::lock_waits);
  EXPECT_NE(found.evidence.find("; probably held by one of 2 threads"), std::string::npos)
      << found.evidence;
}

TEST_F(WaitFindings, TheHolderMayBeUnknown) {
  run(0);
  wait(10 * kMs);
  add_os_call(10 * kMs, 90 * kMs, "pthread_mutex_lock");
  run(90 * kMs);
  end(100 * kMs);
  EXPECT_NE(find(analyze::lock_waits).evidence.find("the report does not show who holds it"),
            std::string::npos);
}

// A semaphore is a lock if a function of the program waits for it, and not if a queue does.
TEST_F(WaitFindings, LocksOfPythonAreSemaphores) {
  add_chain("OSRT_CALLCHAINS", 1, {python_frame("update", "/home/me/app.py", 7)});
  add_chain("OSRT_CALLCHAINS", 2,
            {python_frame("Condition.wait", "/lib/python3.12/threading.py", 355)});
  for (const std::int64_t tid : {9, 10, 11}) {
    run(0, tid);
    if (tid != 11) wait(10 * kMs, tid);
    if (tid != 11) run(90 * kMs, tid);
    end(100 * kMs, tid);
  }
  add_os_call(10 * kMs, 90 * kMs, "sem_clockwait", 2, 0, 10);
  EXPECT_EQ(find(analyze::lock_waits).at_stake, 0);
  add_os_call(10 * kMs, 90 * kMs, "sem_clockwait", 1);
  const Finding found = find(analyze::lock_waits);
  EXPECT_EQ(found.at_stake, 40 * kMs);  // thread 11 runs meanwhile
  EXPECT_NE(found.evidence.find("called from update (/home/me/app.py:7)"), std::string::npos)
      << found.evidence;
}

// The same by where the collector saw the thread wait. Waits that it did not see are as the others.
TEST_F(WaitFindings, LocksOfPythonAreSeenFromOutside) {
  for (int i = 0; i < 10; ++i) {
    run(10 * i * kMs);
    wait((10 * i + 1) * kMs);
    add_os_call((10 * i + 1) * kMs, (10 * i + 9) * kMs, "sem_clockwait");
    run((10 * i + 9) * kMs);
  }
  end(100 * kMs);
  EXPECT_EQ(find(analyze::lock_waits).at_stake, 0);
  python_waits({2 * kMs, 12 * kMs}, {python_frame("update", "/home/me/app.py", 7)});
  const Finding found = find(analyze::lock_waits);
  EXPECT_EQ(found.at_stake, 80 * kMs);
  EXPECT_NE(found.evidence.find("10 calls of sem_clockwait, median 8 ms, most called from update "
                                "(/home/me/app.py:7)"),
            std::string::npos)
      << found.evidence;
  python_waits({22 * kMs, 32 * kMs, 42 * kMs},
               {python_frame("Queue.get", "/lib/python3.12/queue.py", 171)});
  EXPECT_EQ(find(analyze::lock_waits).at_stake, 16 * kMs);
}

TEST_F(WaitFindings, ThreadsThatWaitForWorkDoNotCount) {
  run(0, 9);
  run(0, 10);
  wait(1 * kMs, 10);
  add_os_call(1 * kMs, 99 * kMs, "pthread_cond_wait", 0, 0, 10);
  end(100 * kMs, 9);
  end(100 * kMs, 10);
  for (const analyze::NamedCpuRule& each : analyze::cpu_rules())
    EXPECT_LE(find(each.run).at_stake, 0) << each.name;
}

// Processes of PostgreSQL wait in epoll_wait for locks that they keep in shared memory.
TEST_F(WaitFindings, RowLocksOfADatabase) {
  const auto frame = [](const std::string& function) {
    return TestFrame{function, "/usr/lib/postgresql/15/bin/postgres"};
  };
  run(0);
  add_os_call(1, 50 * kMs, "epoll_wait", 1);
  wait(2);
  run(49 * kMs);
  add_os_call(51 * kMs, 100 * kMs, "epoll_wait", 2);
  wait(52 * kMs);
  run(99 * kMs);
  end(101 * kMs);
  add_chain("OSRT_CALLCHAINS", 1,
            {frame("WaitEventSetWait"), frame("WaitLatch"), frame("ProcSleep"),
             frame("LockAcquireExtended"), frame("XactLockTableWait"), frame("heap_update")});
  add_chain("OSRT_CALLCHAINS", 2, {frame("WaitEventSetWait"), frame("secure_read")});
  const Finding found = find(analyze::lock_waits);
  EXPECT_EQ(found.at_stake, 49 * kMs - 2);
  EXPECT_NE(found.evidence.find("for row locks of PostgreSQL (XactLockTableWait)"),
            std::string::npos)
      << found.evidence;
}

}  // namespace prof::test
