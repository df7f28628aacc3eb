// The program's and the collector's side of the buffer, both under the thread sanitizer. It reports
// a race where one side reads what the other wrote without an order that C++ promises, on whatever
// processor it runs.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "injection/core/record/record_writer.hpp"
#include "injection/core/symbols/real_symbol.hpp"
#include "tests/unit/injection/core/session_fixture.hpp"

// The only slot of this program. The code that looks slots up needs one to be linked.
PROF_REAL_SLOT(getpid, nullptr)

namespace prof::core {
namespace {

constexpr int kThreads = 3;
constexpr std::uint64_t kRecords = 20'000;  // of a thread: some ten chunks

class RingOrder : public SessionFixture {
 protected:
  RingOrder() : SessionFixture({16, 16}) {}
};

// Times of the pop records of a thread, in the order in which the collector got them.
using Times = std::map<std::uint32_t, std::vector<std::uint64_t>>;

void take(const std::map<std::uint32_t, std::vector<std::byte>>& threads, Times& times) {
  for (const auto& [tid, bytes] : threads) {
    for (std::size_t at = 0; at + sizeof(wire::RecordHeader) <= bytes.size();) {
      wire::NvtxPopRecord record;
      std::memcpy(&record, &bytes[at], sizeof record);
      ASSERT_NE(record.header.size, 0);
      if (record.header.type == wire::RecordType::kNvtxPop) times[tid].push_back(record.time);
      at += record.header.size;
    }
  }
}

TEST_F(RingOrder, TheCollectorReadsWhatThreadsWrite) {
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> written{0};
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (std::uint64_t number = 0; number < kRecords; ++number)
        if (append(wire::NvtxPopRecord{header_of<wire::NvtxPopRecord>(wire::RecordType::kNvtxPop),
                                       number}))
          written.fetch_add(1, std::memory_order_relaxed);
      release_chunk();
      running.fetch_sub(1, std::memory_order_relaxed);  // orders nothing for the collector
    });
  Times times;
  while (running.load(std::memory_order_relaxed) != 0) take(drain(), times);
  for (std::thread& each : threads) each.join();
  take(drain(), times);
  std::uint64_t read = 0;
  for (const auto& [tid, of_thread] : times) read += of_thread.size();
  EXPECT_EQ(read, written.load());
  EXPECT_GT(read, kRecords);
  EXPECT_EQ(times.size(), static_cast<std::size_t>(kThreads));
}

}  // namespace
}  // namespace prof::core
