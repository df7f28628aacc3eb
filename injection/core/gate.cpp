#include "injection/core/gate.hpp"

#include "injection/core/process_state.hpp"

namespace prof::core {

namespace {

// These are not constants, because constants lie on a page that other processes do not touch.
constinit std::atomic<std::uint32_t> g_leaves{wire::kLeaves};
constinit std::atomic<std::uint32_t> g_counts{wire::kCounts};
[[gnu::section(".data")]] constinit std::atomic<std::uint32_t> g_goes_on{wire::kGoesOn};

void lead(Gate& gate, const std::atomic<std::uint32_t>& word) {
  // The load comes first, because a store would copy the page in a process that has just been
  // forked.
  if (gate.load(std::memory_order_relaxed) != &word) gate.store(&word, std::memory_order_release);
}

}  // namespace

// Until the constructor has run, gates let calls pass: the first call runs the constructor.
extern "C" {
constinit Gate prof_call_gate{&g_goes_on};
constinit Gate prof_condition_gate{&g_goes_on};
constinit Gate prof_range_gate{&g_goes_on};
}

void set_gates() {
  const bool on_demand = has_feature(wire::kFeatureDormancy) && g_process.arena != nullptr;
  const auto& ranges = on_demand ? g_process.arena->dormant : g_goes_on;
  const bool traces_calls = (g_process.config.features & wire::kFeatureOsrt) != 0;
  const auto& counting = on_demand ? g_process.arena->counting : g_counts;
  const auto& calls = !traces_calls                         ? g_leaves
                      : has_feature(wire::kFeatureThinning) ? counting
                                                            : ranges;
  lead(prof_range_gate, ranges);
  lead(prof_call_gate, calls);
  lead(prof_condition_gate, has_feature(wire::kFeaturePythonGil) ? g_goes_on : calls);
}

}  // namespace prof::core
