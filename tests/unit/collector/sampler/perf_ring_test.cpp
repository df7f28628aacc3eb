#include "collector/sampler/perf_ring.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace prof::sampler {
namespace {

constexpr std::size_t kBytes = 128;

// A buffer that the test writes as the kernel would.
class PerfRingTest : public ::testing::Test {
 protected:
  // `size`: of the header, if it is to differ from the true size.
  void write(std::uint32_t type, const std::string& body, int size = -1) {
    const std::size_t whole = sizeof(perf_event_header) + body.size();
    const perf_event_header header{type, 7,
                                   static_cast<std::uint16_t>(size < 0 ? whole : size_t(size))};
    put(&header, sizeof header);
    put(body.data(), body.size());
  }

  void put(const void* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      data_[control_.data_head++ % kBytes] = static_cast<const std::byte*>(bytes)[i];
  }

  std::vector<std::string> drain() {
    std::vector<std::string> seen;
    ring_.drain([&](const PerfRecord& record) {
      EXPECT_EQ(record.misc, 7);
      seen.push_back(
          std::to_string(record.type) + ":" +
          std::string(reinterpret_cast<const char*>(record.body.data()), record.body.size()));
    });
    EXPECT_EQ(control_.data_tail, control_.data_head);
    return seen;
  }

  using Seen = std::vector<std::string>;

  perf_event_mmap_page control_{};
  std::byte data_[kBytes]{};
  PerfRing ring_{&control_, data_};
};

TEST_F(PerfRingTest, GivesEachRecordOnce) {
  EXPECT_TRUE(drain().empty());
  write(1, "one.....");
  write(2, "");
  EXPECT_EQ(drain(), (Seen{"1:one.....", "2:"}));
  EXPECT_TRUE(drain().empty());
  write(3, "three...");
  EXPECT_EQ(drain(), Seen{"3:three..."});
}

TEST_F(PerfRingTest, JoinsRecordsThatWrapAroundTheEnd) {
  // At any distance to the end, in the header and in the body.
  for (int i = 0; i < 200; ++i) {
    write(i, "0123456789abcdef");
    EXPECT_EQ(drain(), Seen{std::to_string(i) + ":0123456789abcdef"}) << i;
    control_.data_tail = ++control_.data_head;
  }
  EXPECT_EQ(ring_.corrupt_bytes(), 0U);
}

TEST_F(PerfRingTest, FollowsPositionsPastTheirOverflow) {
  control_.data_head = control_.data_tail = ~std::uint64_t{0} - 20;
  write(1, "12345678");
  write(2, "12345678");
  EXPECT_EQ(drain(), (Seen{"1:12345678", "2:12345678"}));
}

TEST_F(PerfRingTest, AnImpossibleSizeEndsTheRead) {
  for (const int size : {0, 7, 25, 65535}) {
    write(1, "12345678");
    write(2, "12345678", size);
    EXPECT_EQ(drain(), Seen{"1:12345678"}) << size;
  }
  EXPECT_EQ(ring_.corrupt_bytes(), 4U * 16);
  write(3, "");
  EXPECT_EQ(drain(), Seen{"3:"});
}

TEST_F(PerfRingTest, AHeaderThatIsCutOffIsSkipped) {
  const int fragment = 5;
  put(&fragment, sizeof fragment);
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(ring_.corrupt_bytes(), 4U);
}

TEST_F(PerfRingTest, RejectsMoreThanTheBufferHolds) {
  control_.data_head = 1'000'000;
  EXPECT_TRUE(drain().empty());
  EXPECT_EQ(ring_.corrupt_bytes(), kBytes);
  control_.data_tail = control_.data_head + 8;  // ahead of the head
  ring_.drain([](const PerfRecord&) { FAIL(); });
  EXPECT_EQ(control_.data_tail, control_.data_head);
}

}  // namespace
}  // namespace prof::sampler
