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

// The samples of one function, with the line and the caller that have the most time.
struct FunctionSum {
  std::uint32_t function = 0;  // index in CodeProfile::code
  double share = 0;            // ns of the program's time
  std::int64_t samples = 0;
  std::int64_t line = 0;     // line with the most time; 0: unknown
  std::uint32_t caller = 0;  // frame of the caller with the most time, or CpuFacts::kNone
};

// Returns the node whose function a sample counts for, or CallTree::kNone if it counts for no
// function.
using Choose = std::function<Node(const CodeProfile::Sample& sample)>;

// Sums the samples by function. The function with the most time comes first.
std::vector<FunctionSum> sum_by_function(const CodeProfile& profile, const Choose& choose);

// Return the frame and the function of a node.
inline const events::Frame& frame_of(const CodeProfile& profile, Node node) {
  return profile.code.frame(profile.tree.frame(node));
}
inline const events::Function& function_of(const CodeProfile& profile, Node node) {
  return profile.code.function_of(profile.tree.frame(node));
}
// Returns for each node whether its path from the outermost frame on has a function of this kind.
std::vector<bool> nodes_in(const CodeProfile& profile,
                           const std::function<bool(const events::Function&)>& is_wanted);
// Returns for each node the nearest node outward, or the node itself, with a function of this kind,
// or CallTree::kNone.
std::vector<Node> nearest_nodes(const CodeProfile& profile,
                                const std::function<bool(const events::Function&)>& is_wanted);
// True if the function is code of a JIT compiler with a known name.
bool is_named_jit_code(const events::Function& function);
// Options that make JIT compilers write down the names of functions.
inline constexpr const char* kNamesOfJitCode =
    "node --perf-basic-prof, java -agentpath:libperf-jvmti.so, DOTNET_PerfEnabled=1";
// True if the code belongs to no file, as code of JIT compilers does.
bool is_unknown_code(const events::Function& function);
// True if the function is the kernel's, and handles page faults.
bool is_page_fault(const events::Function& function);
// True if the function is the kernel's, and copies a page that two processes share since a fork.
bool is_copy_on_write(const events::Function& function);
// True if the function belongs to the dynamic linker, which loads programs and libraries.
bool is_dynamic_linker(const events::Function& function);
// True if the function belongs to Python's import system.
bool is_importlib(const events::Function& function);

// Returns the thread with the most of these samples, and the time from its first to its last one.
// If it has less than half of their time, returns the time of the samples of all threads, and no
// thread.
std::optional<Where> where_of_samples(const CpuFacts& facts, const CodeProfile& profile,
                                      const std::function<bool(const CodeProfile::Sample&)>& fits);

// Returns "function (file:line)".
std::string code_text(const events::Function& function, std::int64_t line);
// Returns "f (a.c:3), 70 % of it in memcpy, called by main (a.c:9); 120 samples; then g (12 %)".
// `choose` is what `sums` were made with.
std::string evidence_of(const CodeProfile& profile, const std::vector<FunctionSum>& sums,
                        const Choose& choose, double time);

}  // namespace prof::analyze
