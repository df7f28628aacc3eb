#include "injection/core/foreign_threads.hpp"

#include <asm/prctl.h>

#include "injection/core/record/call.hpp"
#include "injection/core/syscalls.hpp"
#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {
namespace {

class ForeignThreads : public SessionFixture {
 protected:
  ForeignThreads() { g_process.config.features = g_process.features; }
  ~ForeignThreads() override {
    g_process.features = 0;
    g_process.config.features = 0;
    g_process.has_rdfsbase = false;
  }
};

// Runs `body` while the thread pointer points to `block`. Nothing else may use thread-local data.
template <class Body>
void with_thread_pointer(void* block, Body body) {
  long home;
  asm volatile("mov %%fs:0, %0" : "=r"(home));  // volatile: not read again after the switch
  sys::call(SYS_arch_prctl, ARCH_SET_FS, sys::pointer(block));
  body();
  sys::call(SYS_arch_prctl, ARCH_SET_FS, home);
}

TEST_F(ForeignThreads, AThreadOfTheCLibraryIsKnown) {
  EXPECT_TRUE(has_libc_pointer());
  prepare_pointer_check();
  EXPECT_TRUE(has_libc_pointer());
  EXPECT_TRUE(records_calls());
}

TEST_F(ForeignThreads, OthersAreFoundBeforeTheirDataIsUsed) {
  alignas(64) static std::byte data[8192];
  std::byte* block = data + sizeof data / 2;
  bool known[3] = {true, true, true};
  for (int round = 0; round < 2; ++round, prepare_pointer_check()) {
    with_thread_pointer(block, [&] {
      known[0] = has_libc_pointer();
      known[1] = begin_record_here(16) != nullptr;  // without a hint that threads may be foreign
      known[2] = records_calls();
    });
    for (const bool is_known : known) EXPECT_FALSE(is_known);
  }
  for (const std::byte value : data) ASSERT_EQ(value, std::byte{});
}

TEST_F(ForeignThreads, NoThreadPointerAtAll) {
  expect_foreign_threads();
  bool recorded = true;
  with_thread_pointer(nullptr, [&] { recorded = records_calls() || !is_foreign_thread(); });
  EXPECT_FALSE(recorded);
}

TEST_F(ForeignThreads, TheThreadsBesideThemAreRecorded) {
  begin_foreign_child();
  EXPECT_TRUE(threads_may_be_foreign());
  EXPECT_FALSE(is_foreign_thread());
  EXPECT_TRUE(records_calls());
  begin_foreign_child();
  end_foreign_child();
  EXPECT_TRUE(threads_may_be_foreign());
  end_foreign_child();
  EXPECT_FALSE(threads_may_be_foreign());
  EXPECT_EQ(g_process.features, g_process.config.features);
}

TEST_F(ForeignThreads, WhatLastsOutlivesChildren) {
  begin_foreign_child();
  expect_foreign_threads();
  end_foreign_child();
  for (int i = 0; i < 1000; ++i) begin_foreign_child();
  for (int i = 0; i < 1000; ++i) end_foreign_child();
  EXPECT_TRUE(threads_may_be_foreign());
  set_features(wire::kFeatureOsrt);  // of a fork child that joins
  EXPECT_TRUE(threads_may_be_foreign());
}

TEST_F(ForeignThreads, ACopyOfAStateBeginsAnew) {
  set_up(t_state);
  t_state.claims = 7;
  ThreadState copy = t_state;
  set_up(copy);
  EXPECT_EQ(copy.claims, 0);
  EXPECT_EQ(copy.self, &copy);
  EXPECT_EQ(t_state.claims, 7);
}

TEST_F(ForeignThreads, AMutedThreadStaysMuted) {
  t_state.calls = kMuted;
  EXPECT_FALSE(records_calls());
  set_up(t_state);
  EXPECT_EQ(t_state.calls, kMuted);
  t_state.calls = kRecorded;
  EXPECT_TRUE(records_calls());
}

}  // namespace
}  // namespace prof::core
