#include "collector/sampler/call_chain_tree.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <random>
#include <set>

namespace prof::sampler {
namespace {

using spool::StackNode;
using unwind::CallChain;
using unwind::Frame;
using unwind::UnwindMethod;

class CallChainTreeTest : public ::testing::Test {
 protected:
  CallChainTreeTest() {
    unwind::MapEvent library;
    library.start = 0x1000;
    library.length = 0x1000;
    library.offset = 0x400;
    library.path = "/lib/a.so";
    map_.add(library);
    unwind::MapEvent jit;
    jit.start = 0x9000;
    jit.length = 0x1000;
    jit.path = "//anon";
    map_.add(jit);
  }
  static CallChain chain(std::initializer_list<std::uint64_t> addresses) {
    CallChain made;
    for (const std::uint64_t address : addresses)
      made.frames.push_back({address, UnwindMethod::kEhFrame, made.frames.empty()});
    return made;
  }
  std::uint32_t add(const CallChain& chain, std::span<const std::uint64_t> kernel = {},
                    std::uint32_t tid = 8) {
    return tree_.add({7, tid}, map_, 1, kernel, chain);
  }
  // Takes the new definitions.
  void take() {
    tree_.take_definitions(
        {.module = [&](const spool::StackModuleNote& note) { notes_.push_back(note); },
         .functions = [&](const spool::StackFunctionsNote& note) { functions_.push_back(note); },
         .nodes =
             [&](const spool::StackPieceHeader& piece, std::span<const std::byte> bytes) {
               EXPECT_EQ(piece.first, nodes_.size() + 1);
               for (std::size_t at = 0; at < bytes.size(); at += sizeof(StackNode)) {
                 StackNode node;
                 std::memcpy(&node, &bytes[at], sizeof node);
                 nodes_.push_back(node);
               }
             }});
  }
  const StackNode& node(std::uint32_t number) const { return nodes_.at(number - 1); }

  unwind::Modules modules_;
  unwind::ModuleMap map_{modules_};
  CallChainTree tree_;
  std::vector<spool::StackModuleNote> notes_;
  std::vector<spool::StackFunctionsNote> functions_;
  std::vector<StackNode> nodes_;
};

TEST_F(CallChainTreeTest, LeadsFromTheInnermostFrameToTheOutermost) {
  const std::uint32_t leaf = add(chain({0x1010, 0x1020, 0x1030}));
  take();
  EXPECT_EQ(node(leaf).address, 0x1010U);
  EXPECT_EQ(node(leaf).offset, 0x410U);
  EXPECT_EQ(node(leaf).flags, spool::kExactAddress);
  const StackNode& caller = node(node(leaf).caller);
  EXPECT_EQ(caller.address, 0x1020U);
  EXPECT_EQ(caller.flags, 0);
  EXPECT_EQ(caller.method, 6);
  EXPECT_EQ(node(caller.caller).address, 0x1030U);
  EXPECT_EQ(node(caller.caller).caller, 0U);
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_EQ(notes_[0].path, "/lib/a.so");
  EXPECT_EQ(notes_[0].id, node(leaf).module);
}

TEST_F(CallChainTreeTest, SharesOuterFramesAndHandsThemOverOnce) {
  const std::uint32_t first = add(chain({0x1010, 0x1020, 0x1030}));
  take();
  EXPECT_EQ(add(chain({0x1010, 0x1020, 0x1030})), first);
  const std::uint32_t second = add(chain({0x1018, 0x1020, 0x1030}));
  take();
  EXPECT_EQ(nodes_.size(), 4U);
  EXPECT_EQ(node(second).caller, node(first).caller);
  EXPECT_EQ(notes_.size(), 1U);
}

TEST_F(CallChainTreeTest, KernelFramesAreInsideOfProgramFrames) {
  const std::uint64_t kernel[] = {0xffffffff81000010, 0xffffffff81000020};
  const std::uint32_t leaf = add(chain({0x1010}), kernel);
  take();
  EXPECT_EQ(node(leaf).module, spool::kKernelModule);
  EXPECT_EQ(node(leaf).address, kernel[0]);
  EXPECT_EQ(node(node(leaf).caller).address, kernel[1]);
  EXPECT_EQ(node(node(node(leaf).caller).caller).address, 0x1010U);
}

TEST_F(CallChainTreeTest, AnIncompleteChainEndsInAMark) {
  CallChain broken = chain({0x1010});
  broken.stop = unwind::Stop::kBadReturnAddress;
  CallChain deep = chain({0x1010});
  deep.stop = unwind::Stop::kDepth;
  const std::uint32_t first = add(broken), second = add(deep);
  take();
  EXPECT_EQ(node(node(first).caller).flags, spool::kBrokenMark);
  EXPECT_EQ(node(node(second).caller).flags, spool::kMaxDepthMark);
}

TEST_F(CallChainTreeTest, CodeWithoutAFileIsLookedUpByAddress) {
  const std::uint32_t leaf = add(chain({0x9010})), unknown = add(chain({0x7777}));
  take();
  EXPECT_EQ(node(leaf).flags, spool::kExactAddress | spool::kJitCode);
  EXPECT_EQ(notes_.at(0).path, "/tmp/perf-7.map");
  EXPECT_EQ(node(unknown).module, spool::kNoModule);
}

// Adds chains of two threads in turn, which grow and shrink. Each has to be read back unchanged,
// and common frames have to be stored once.
TEST_F(CallChainTreeTest, ChainsOfThreadsAreReadBackUnchanged) {
  std::minstd_rand random(1);
  std::vector<std::vector<std::uint64_t>> walks(2, {0x1008});  // outermost first
  std::vector<std::pair<std::vector<std::uint64_t>, std::uint32_t>> leaves;
  std::set<std::vector<std::uint64_t>> beginnings;
  for (int step = 0; step < 2000; ++step) {
    auto& walk = walks[random() % 2];
    walk.resize(1 + random() % walk.size());
    while (random() % 3 != 0) walk.push_back(0x1010 + random() % 3 * 0x10);
    CallChain made;
    for (auto address = walk.rbegin(); address != walk.rend(); ++address)
      made.frames.push_back({*address, UnwindMethod::kEhFrame, false});
    const auto tid = static_cast<std::uint32_t>(&walk - walks.data());
    const std::uint32_t leaf = add(made, {}, tid);
    leaves.emplace_back(walk, leaf);
    for (std::size_t i = 1; i <= walk.size(); ++i)
      beginnings.insert({walk.begin(), walk.begin() + static_cast<std::ptrdiff_t>(i)});
  }
  take();
  EXPECT_EQ(nodes_.size(), beginnings.size());
  for (const auto& [walk, leaf] : leaves) {
    std::vector<std::uint64_t> found;
    for (std::uint32_t at = leaf; at != 0; at = node(at).caller)
      found.insert(found.begin(), node(at).address);
    EXPECT_EQ(found, walk);
  }
}

TEST_F(CallChainTreeTest, WithoutFramesThereIsNoNode) { EXPECT_EQ(add({}), 0U); }

}  // namespace
}  // namespace prof::sampler
