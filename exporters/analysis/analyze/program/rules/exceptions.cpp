// Finds time in which exceptions of C++ are thrown and caught.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;
using events::CodeKind;
using events::Function;

constexpr double kMinExceptionShare = 0.1;         // of the time with a CPU
constexpr std::int64_t kMinExceptionSamples = 20;  // fewer samples say little

bool is_one_of(const Function& function, std::initializer_list<std::string_view> names) {
  return function.kind == CodeKind::kNative &&
         std::ranges::find(names, function.name) != names.end();
}

bool throws(const Function& function) {
  return is_one_of(function, {"__cxa_throw", "__cxa_rethrow", "__cxa_allocate_exception",
                              "_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow"});
}

// True for the functions of the runtime of C++ that code calls in order to throw, to catch, and to
// pass an exception on. The end of a thread unwinds its stack by other functions.
bool handles_exceptions(const Function& function) {
  return throws(function) || is_one_of(function, {"_Unwind_Resume", "__cxa_begin_catch",
                                                  "__cxa_end_catch", "__cxa_free_exception"});
}

}  // namespace

std::optional<Finding> exceptions(CpuFacts& facts) {
  if (!facts.native) return std::nullopt;
  const CodeProfile& profile = *facts.native;
  const std::vector<bool> handling = nodes_in(profile, handles_exceptions);
  const std::vector<Node> throwing = nearest_nodes(profile, throws);
  const std::vector<Node> own_code = nearest_nodes(profile, is_own_code);
  const auto is_counted = [&](const CodeProfile::Sample& sample) {
    return static_cast<bool>(handling[sample.node]);
  };
  double share = 0;
  std::int64_t samples = 0;
  std::map<Node, double> throwers;
  for (const CodeProfile::Sample& sample : profile.samples) {
    if (!is_counted(sample)) continue;
    share += sample.share;
    ++samples;
    const Node call = throwing[sample.node];
    if (call != CallTree::kNone && own_code[call] != CallTree::kNone)
      throwers[own_code[call]] += sample.share;
  }
  if (samples < kMinExceptionSamples || share < kMinExceptionShare * facts.time_with_cpu())
    return std::nullopt;
  std::map<std::string, double> places;
  for (const auto& [node, each] : throwers)
    places[code_text(function_of(profile, node), frame_of(profile, node).line)] += each;
  std::string evidence = count_text(samples, "sample") + " in the unwinder and the runtime of C++";
  if (const std::string* place = key_of_most(places))
    evidence +=
        fmt::format("; {:.0f} % of them thrown by {}", 100 * places.at(*place) / share, *place);
  return Finding{"exceptions",
                 "Throwing and catching exceptions takes much of the time",
                 std::llround(share),
                 evidence,
                 "Return what is common as a value (std::optional, std::expected, an error code), "
                 "test before the call, or use functions that do not throw (std::from_chars)",
                 where_of_samples(facts, profile, is_counted)};
}

}  // namespace prof::analyze
