// Call chains, interned as a tree for the spool.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/sampler/node_index.hpp"
#include "collector/spool/stack_records.hpp"
#include "collector/unwind/call_chain.hpp"
#include "collector/unwind/module_map.hpp"

namespace prof::sampler {

// Whose chain it is. The tid only helps to find it again, so it may be one of another namespace.
struct ChainOwner {
  pid_t pid;
  std::uint32_t tid;

  bool operator==(const ChainOwner&) const = default;
};

class CallChainTree {
 public:
  // The node of the chain's innermost frame; 0 for a chain without frames. `kernel`: addresses of
  // the kernel's frames inside of it, innermost first.
  std::uint32_t add(ChainOwner owner, const unwind::ModuleMap& map, std::uint64_t time,
                    std::span<const std::uint64_t> kernel, const unwind::CallChain& chain);

  // Hands over what was defined since the last time: notes of type "stack_module", then nodes. Has
  // to come into the spool before what refers to it.
  using NoteSink = std::function<void(const nlohmann::json&)>;
  using NodeSink = std::function<void(const spool::StackPieceHeader&, std::span<const std::byte>)>;
  void take_definitions(const NoteSink& notes, const NodeSink& nodes);

 private:
  // A node of ours.
  struct Numbered {
    spool::StackNode node;
    std::uint32_t number;
  };
  // The chain of a thread that was added last, outermost first. The next one begins like it, as a
  // rule.
  struct Recent {
    ChainOwner owner{};
    std::vector<Numbered> frames;
  };
  Recent& recent_of(ChainOwner owner);
  // `depth`: of the frame, from the outermost; the ones before have been found.
  std::uint32_t number_of(const spool::StackNode& node, std::size_t depth, Recent& recent);

  spool::StackNode node_of(pid_t pid, const unwind::ModuleMap& map, std::uint64_t time,
                           const unwind::Frame& frame);
  std::uint32_t module_of(unwind::Module& module);
  std::uint32_t jit_module_of(pid_t pid);

  static constexpr std::size_t kRecent = 256;  // threads; a chain takes 5 KiB, 40 at most

  std::array<Recent, kRecent> recent_;
  NodeIndex nodes_;
  std::uint32_t next_fresh_ = 1;  // nodes from this one on are not yet handed over
  std::unordered_map<const unwind::Module*, std::uint32_t> modules_;
  std::unordered_map<pid_t, std::uint32_t> jit_modules_;
  std::uint32_t next_module_ = spool::kFirstModule;
  std::vector<nlohmann::json> fresh_modules_;
};

}  // namespace prof::sampler
