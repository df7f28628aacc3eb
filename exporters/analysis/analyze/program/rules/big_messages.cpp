// Finds large objects of Python that are copied from one process to another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/own_code.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"
#include "exporters/analysis/events/sums.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;
using events::Function;

// Minimum share of the time with a CPU, and minimum number of samples.
constexpr double kMinMessageShare = 0.1;
constexpr std::int64_t kMinMessageSamples = 20;
constexpr std::int64_t kBigWrite = 64 * 1024;   // bytes
constexpr std::int64_t kMinBytes = 16'000'000;  // written in big writes

// True for functions that turn objects into bytes or back, or send or receive them. While such a
// function waits, it has no samples.
bool is_message(const Function& function) {
  if (function.kind != events::CodeKind::kPython) return false;
  const std::string_view file(function.module);
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"/multiprocessing/connection.py",
                                              "/multiprocessing/reduction.py",
                                              "/multiprocessing/queues.py", "/pickle.py"},
      [&](std::string_view each) { return file.ends_with(each); });
}

struct Messages {
  double share = 0;
  std::int64_t samples = 0;
  std::map<std::string, double> places;  // shares by code of the user, or of a thread of Python
  std::int64_t writes = 0;
  std::int64_t bytes = 0;
  const OsCall* longest = nullptr;
};

// True for the code with which a process of multiprocessing starts. What called it is the line that
// started the process, which says nothing about the message.
bool starts_process(const Function& function) {
  return function.kind == events::CodeKind::kPython &&
         function.module.ends_with("/multiprocessing/process.py");
}

// Returns the nearest code of the user. In a process or thread of a pool that is none, so it is the
// outermost function of the message there.
std::string sender_of(const CodeProfile& profile, Node node) {
  Node message = node;
  for (Node at = node; at != CallTree::kNone; at = profile.tree.parent(at)) {
    const Function& function = function_of(profile, at);
    if (starts_process(function)) break;
    if (is_own_code(function)) return code_text(function, frame_of(profile, at).line);
    if (is_message(function)) message = at;
  }
  const Function& function = function_of(profile, message);
  return base::mark_name("function",
                         fmt::format("{} ({})", function.name, events::file_name(function.module)));
}

void add_samples(const CodeProfile& profile, const std::vector<bool>& nodes, Messages& messages) {
  std::map<Node, double> shares;
  for (const CodeProfile::Sample& sample : profile.samples) {
    if (!nodes[sample.node]) continue;
    messages.share += sample.share;
    ++messages.samples;
    shares[sample.node] += sample.share;
  }
  for (const auto& [node, share] : shares) messages.places[sender_of(profile, node)] += share;
}

// Adds the writes of many bytes that message functions make.
void add_writes(CpuFacts& facts, const std::vector<bool>& nodes, Messages& messages) {
  std::vector<bool> waits;
  if (facts.python_waits) waits = nodes_in(*facts.python_waits, is_message);
  NameTest is_write(facts, [](std::string_view name) {
    return name.find("write") != name.npos || name.find("send") != name.npos;
  });
  for (const OsCall& call : facts.calls) {
    if (call.is_nested || call.bytes < kBigWrite || !is_write(call)) continue;
    const CodeProfile::Sample* wait = python_wait_in(facts, call);
    const CodeProfile::Sample* near = python_sample_near(facts, call.thread, call.start);
    if (!(wait != nullptr && waits[wait->node]) && !(near != nullptr && nodes[near->node]))
      continue;
    ++messages.writes;
    messages.bytes = events::sum(messages.bytes, call.bytes);
    if (messages.longest == nullptr || call.length() > messages.longest->length())
      messages.longest = &call;
  }
}

}  // namespace

std::optional<Finding> big_messages(CpuFacts& facts) {
  if (!facts.python || facts.processes < 2) return std::nullopt;
  const std::vector<bool> nodes = nodes_in(*facts.python, is_message);
  Messages messages;
  add_samples(*facts.python, nodes, messages);
  if (messages.samples < kMinMessageSamples ||
      messages.share < kMinMessageShare * facts.time_with_cpu())
    return std::nullopt;
  add_writes(facts, nodes, messages);
  if (messages.bytes < kMinBytes) return std::nullopt;
  std::string evidence = fmt::format("{} in {}, {} on average", bytes_text(messages.bytes),
                                     count_text(messages.writes, "write"),
                                     bytes_text(messages.bytes / messages.writes));
  if (const std::string* place = key_of_most(messages.places))
    evidence += fmt::format("; {:.0f} % of the time in {}; {}",
                            100 * messages.places[*place] / messages.share, *place,
                            count_text(messages.samples, "sample"));
  return Finding{"big_messages",
                 "Processes copy large objects to each other",
                 std::llround(messages.share),
                 evidence,
                 "Send what is small (a file name, a range, a result) and share the rest: memory "
                 "that fork inherits, multiprocessing.shared_memory, np.memmap, tensors of "
                 "torch.multiprocessing",
                 where_of(facts, messages.longest)};
}

}  // namespace prof::analyze
