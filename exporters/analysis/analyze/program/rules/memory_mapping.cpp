// Finds time in which the kernel gives memory to the program and takes it back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;
using events::CodeKind;
using events::Function;

// Minimum share of the time: programs that use memory for the first time need some of it.
constexpr double kMinMappingShare = 0.1;
// Minimum number of samples: a share of few samples is chance.
constexpr std::int64_t kMinMappingSamples = 20;

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_mapping_call(std::string_view name) {
  static constexpr std::string_view kNames[] = {"mmap",    "mmap64", "munmap", "mremap",
                                                "madvise", "brk",    "sbrk",   "mprotect"};
  if (name.starts_with("__x64_sys_")) name.remove_prefix(10);
  if (name.starts_with("__")) name.remove_prefix(2);
  return is_one_of(name, kNames);
}

bool is_mapping(const Function& function) {
  return function.kind != CodeKind::kPython && is_mapping_call(function.name);
}

struct Amounts {
  double faults = 0;    // ns, from samples
  double mappings = 0;  // ns, from samples
  std::int64_t samples = 0;
  std::set<Node> nodes;
};

// What happens once for each program or fork is not counted: the dynamic linker maps files, and
// pages are copied that a child shares with its parent.
bool happens_once(const Function& function) {
  return is_dynamic_linker(function) || is_copy_on_write(function);
}

Amounts sampled(const CpuFacts& facts) {
  Amounts amounts;
  if (!facts.native) return amounts;
  const CodeProfile& profile = *facts.native;
  const std::vector<bool> faults = nodes_in(profile, is_page_fault);
  const std::vector<bool> mappings = nodes_in(profile, is_mapping);
  const std::vector<bool> single = nodes_in(profile, happens_once);
  for (const CodeProfile::Sample& sample : profile.samples) {
    const bool is_mapping = mappings[sample.node];
    if ((!is_mapping && !faults[sample.node]) || single[sample.node]) continue;
    ++amounts.samples;
    (is_mapping ? amounts.mappings : amounts.faults) += sample.share;
    amounts.nodes.insert(sample.node);
  }
  return amounts;
}

// Returns the code that takes the most of this time, or an empty text if there is none. It is the
// user's own code, if the samples show it.
std::string place_of_most(const CpuFacts& facts, const Amounts& amounts) {
  const CodeProfile& profile = *facts.native;
  const std::vector<Node> own_code = nearest_nodes(profile, is_own_code);
  std::map<std::string, double> places;
  for (const CodeProfile::Sample& sample : profile.samples) {
    if (!amounts.nodes.contains(sample.node)) continue;
    std::string place;
    if (const Node node = own_code[sample.node]; node != CallTree::kNone)
      place = code_text(function_of(profile, node), frame_of(profile, node).line);
    else if (const auto* python = python_sample_near(facts, sample.thread, sample.time))
      place = place_text(*facts.python, python->node);
    if (place.empty()) place = place_text(profile, sample.node);
    if (!place.empty()) places[place] += sample.share;
  }
  const auto most =
      std::max_element(places.begin(), places.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == places.end() ? "" : most->first;
}

struct MappingCalls {
  std::int64_t count = 0;
  double share = 0;  // ns
  const OsCall* longest = nullptr;
};
MappingCalls recorded_calls(const CpuFacts& facts) {
  MappingCalls calls;
  NameTest is_mapping_name(facts, is_mapping_call);
  for (const OsCall& each : facts.calls) {
    if (each.is_nested || !is_mapping_name(each)) continue;
    ++calls.count;
    if (calls.longest == nullptr || each.length() > calls.longest->length()) calls.longest = &each;
    calls.share += each.share;
  }
  return calls;
}

}  // namespace

std::optional<Finding> memory_mapping(CpuFacts& facts) {
  Amounts amounts = sampled(facts);
  if (amounts.samples < kMinMappingSamples) amounts = {};
  const MappingCalls calls = recorded_calls(facts);
  const double mappings = std::max(amounts.mappings, calls.share);
  const double all = amounts.faults + mappings;
  if (all < kMinMappingShare * facts.time_with_cpu()) return std::nullopt;
  std::string evidence;
  if (amounts.faults > 0) evidence = time_text(std::llround(amounts.faults)) + " in page faults";
  if (mappings > 0)
    evidence += fmt::format("{}{} in mmap, munmap and similar calls", evidence.empty() ? "" : ", ",
                            time_text(std::llround(mappings)));
  const std::string place = facts.native ? place_of_most(facts, amounts) : "";
  if (!place.empty()) evidence += ", most for " + place;
  std::optional<Where> where = where_of(facts, calls.longest);
  if (facts.native && !amounts.nodes.empty())
    where = where_of_samples(facts, *facts.native, [&](const CodeProfile::Sample& sample) {
      return amounts.nodes.contains(sample.node);
    });
  if (calls.count > 0) evidence += "; " + count_text(calls.count, "recorded call");
  return Finding{"memory_mapping",
                 "The kernel maps and unmaps memory again and again, and clears new pages",
                 std::llround(all),
                 evidence,
                 "Keep and reuse large buffers. In programs that use malloc, let it keep memory: "
                 "MALLOC_TRIM_THRESHOLD_ and MALLOC_MMAP_THRESHOLD_ (mallopt), or another "
                 "allocator; huge pages make page faults fewer",
                 where};
}

}  // namespace prof::analyze
