// Sums of samples by function, for the rules about code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "exporters/analysis/analyze/program/cpu_rules.hpp"

namespace prof::analyze {

using Node = events::CallTree::Node;

// The samples of one function: where it is, and who calls it.
struct FunctionSum {
  std::uint32_t function = 0;  // in CodeProfile::code
  double share = 0;            // ns of the program's time
  std::int64_t samples = 0;
  std::int64_t line = 0;     // the one with the most time; 0: unknown
  std::uint32_t caller = 0;  // frame of the caller with the most time, or CpuFacts::kNone
};

// The node of the function that a sample counts for, or CallTree::kNone: it counts for none.
using Choose = std::function<Node(const CodeProfile::Sample& sample)>;

// Most time first.
std::vector<FunctionSum> sum_by_function(const CodeProfile& profile, const Choose& choose);

// Frame and function of a node.
inline const events::Frame& frame_of(const CodeProfile& profile, Node node) {
  return profile.code.frame(profile.tree.frame(node));
}
inline const events::Function& function_of(const CodeProfile& profile, Node node) {
  return profile.code.function_of(profile.tree.frame(node));
}
// The node of the function that a node's function is inlined into; the node itself if it is not.
Node not_inlined(const CodeProfile& profile, Node node);

// By node: whether its path from the outermost frame on has a function of this kind.
std::vector<bool> nodes_in(const CodeProfile& profile,
                           const std::function<bool(const events::Function&)>& is_wanted);
// By node: the first node from it outward with a function of this kind, or CallTree::kNone.
std::vector<Node> nearest_nodes(const CodeProfile& profile,
                                const std::function<bool(const events::Function&)>& is_wanted);
// Whether it is code of a JIT compiler that is known by its name.
bool is_named_jit_code(const events::Function& function);
// How JIT compilers write down names.
inline constexpr const char* kNamesOfJitCode =
    "node --perf-basic-prof, java -agentpath:libperf-jvmti.so, DOTNET_PerfEnabled=1";
// Whether it is code that belongs to no file, as that of JIT compilers.
bool is_unknown_code(const events::Function& function);
// Whether it belongs to Python's import system.
bool is_importlib(const events::Function& function);

// The thread with the most of these samples, and the time from its first to its last one.
std::optional<Where> where_of_samples(const CpuFacts& facts, const CodeProfile& profile,
                                      const std::function<bool(const CodeProfile::Sample&)>& fits);

// "function (file:line)"
std::string code_text(const events::Function& function, std::int64_t line);
// "f (a.c:3), called by main (a.c:9); 120 samples. Then g (12 %), h (11 %)"
std::string evidence_of(const CodeProfile& profile, const std::vector<FunctionSum>& sums,
                        double time);

}  // namespace prof::analyze
