#include "collector/sampler/outer_stack.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace prof::sampler {
namespace {

constexpr std::size_t kPage = 4096;

// Memory of this process in place of a stack. It has three pages, and the page after them is not
// mapped.
class OuterStackTest : public ::testing::Test {
 protected:
  OuterStackTest() {
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    munmap(memory_ + 3 * kPage, kPage);
    for (std::size_t i = 0; i < 3 * kPage; ++i) memory_[i] = static_cast<std::byte>(i * 7 % 251);
  }
  ~OuterStackTest() override { munmap(memory_, 3 * kPage); }

  std::span<const std::byte> complete(std::size_t begin, std::size_t end, pid_t tid = 1) {
    const std::vector<std::byte> copied(memory_ + begin, memory_ + end);
    return stack_.complete(getpid(), tid, reinterpret_cast<std::uint64_t>(memory_) + begin, copied);
  }
  bool is_memory_from(std::size_t begin, std::span<const std::byte> bytes) const {
    return bytes.size() == 3 * kPage - begin &&
           std::memcmp(bytes.data(), memory_ + begin, bytes.size()) == 0;
  }

  std::byte* memory_;
  OuterStack stack_;
};

TEST_F(OuterStackTest, ReadsUpToTheEndOfTheStack) {
  EXPECT_TRUE(is_memory_from(40, complete(40, 2000)));
  EXPECT_TRUE(is_memory_from(3000, complete(3000, 9000, 2)));
}

TEST_F(OuterStackTest, RejectsAStackWhoseBorderHasChanged) {
  std::vector<std::byte> copied(memory_ + 40, memory_ + 2000);
  memory_[1990] = static_cast<std::byte>(~static_cast<unsigned>(memory_[1990]));
  EXPECT_TRUE(
      stack_.complete(getpid(), 1, reinterpret_cast<std::uint64_t>(memory_) + 40, copied).empty());
}

TEST_F(OuterStackTest, ReusesTheLastReadAfterTheProcessHasEnded) {
  EXPECT_TRUE(is_memory_from(40, complete(40, 2000)));
  const std::vector<std::byte> copied(memory_ + 80, memory_ + 3000);
  const auto base = reinterpret_cast<std::uint64_t>(memory_) + 80;
  EXPECT_TRUE(is_memory_from(80, stack_.complete(-1, 1, base, copied)));
  EXPECT_TRUE(stack_.complete(-1, 2, base, copied).empty());  // another thread
}

TEST_F(OuterStackTest, NothingLiesAboveTheTop) {
  EXPECT_TRUE(complete(2 * kPage, 3 * kPage).empty());
  EXPECT_TRUE(complete(100, 200).empty());  // too little to compare
}

TEST_F(OuterStackTest, ForgetsTheThreadsUsedLeastRecently) {
  for (pid_t tid = 1; tid < 1000; ++tid) EXPECT_TRUE(is_memory_from(40, complete(40, 2000, tid)));
}

}  // namespace
}  // namespace prof::sampler
