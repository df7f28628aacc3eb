// Findings about NCCL's operations, from the sizes and communicators in their NVTX payloads.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/tables/readable_units.hpp"

namespace prof::analyze {

namespace {

using insight::CollectiveGroup;

std::int64_t time_of(const CollectiveGroup& group) {
  std::int64_t time = 0;
  for (const insight::CollectiveInstance& each : group.instances) time += each.shortest;
  return time * std::max<std::int64_t>(1, group.instances.empty() ? 1 : group.instances[0].ranks);
}

std::string size_text(std::int64_t bytes) {
  return tables::readable_text(bytes, tables::Measure::kBytes).value_or(std::to_string(bytes));
}

std::string group_text(const CollectiveGroup& group) {
  return fmt::format("{} of {} in communicator {:#x}", base::mark_name("operation", group.name),
                     size_text(group.bytes), group.communicator);
}

}  // namespace

namespace {

// A link is slow below this bus bandwidth. NVLink of the A100 reaches 230 GB/s with eight ranks,
// PCIe 5.0 x16 at most 64, a 400 Gb/s network adapter 50.
constexpr double kSlow = 25;  // GB/s

bool fills_a_link(const CollectiveGroup& group) {
  constexpr double kLargeMessage = 8 << 20;
  return group.moved_bytes() >= kLargeMessage && group.ranks >= 2;
}

// Returns the highest bus bandwidth that large messages reached, by communicator. A link that has
// carried one message fast is not slow: other messages waited for ranks that arrived late.
std::map<std::uint64_t, double> best_bandwidths(const std::vector<CollectiveGroup>& groups) {
  std::map<std::uint64_t, double> best;
  for (const CollectiveGroup& group : groups) {
    if (!fills_a_link(group)) continue;
    double& of_communicator = best[group.communicator];
    of_communicator =
        std::max(of_communicator, group.bus_bandwidth(group.transfer_time()).value_or(0));
  }
  return best;
}

}  // namespace

std::optional<Finding> slow_links(const Facts& facts) {
  const std::map<std::uint64_t, double> best =
      best_bandwidths(facts.all_collectives.empty() ? facts.collectives : facts.all_collectives);
  double at_stake = 0;
  const CollectiveGroup* slowest = nullptr;
  double worst = 0;
  for (const CollectiveGroup& group : facts.collectives) {
    if (!fills_a_link(group)) continue;
    const auto bandwidth = group.bus_bandwidth(group.transfer_time());
    if (!bandwidth || *bandwidth >= kSlow) continue;
    if (!group.has_transfer_times() && best.at(group.communicator) >= kSlow) continue;
    const double lost = static_cast<double>(time_of(group)) * (1 - *bandwidth / kSlow);
    at_stake += lost;
    if (slowest == nullptr || lost > worst) {
      slowest = &group;
      worst = lost;
    }
  }
  if (slowest == nullptr) return std::nullopt;
  std::string evidence = fmt::format(
      "{}: bus bandwidth {:.1f} GB/s, {} ranks, {} calls", group_text(*slowest),
      *slowest->bus_bandwidth(slowest->transfer_time()), slowest->ranks, slowest->calls);
  if (!slowest->has_transfer_times())
    evidence +=
        " in the fastest of them; the report does not have the kernels of all ranks, so that may "
        "be waiting for a late rank, too: record all ranks to see";
  return Finding{
      "slow_links", "Large messages between GPUs are slow", static_cast<std::int64_t>(at_stake),
      std::move(evidence),
      "Look at the links that NCCL chose (NCCL_DEBUG=INFO): NVLink or peer-to-peer over PCIe "
      "within a host (nvidia-smi topo -m), GPUDirect RDMA between hosts; place ranks that talk "
      "most on one host"};
}

std::optional<Finding> small_messages(const Facts& facts) {
  constexpr std::int64_t kSmallMessage = 256 << 10;
  constexpr std::int64_t kMinCalls = 10;
  std::int64_t at_stake = 0;
  std::int64_t calls = 0;
  const CollectiveGroup* most = nullptr;
  std::int64_t most_time = 0;
  for (const CollectiveGroup& group : facts.collectives) {
    if (group.bytes >= kSmallMessage) continue;
    const std::int64_t time = time_of(group);
    at_stake += time;
    calls += group.calls;
    if (most == nullptr || time > most_time) {
      most = &group;
      most_time = time;
    }
  }
  if (most == nullptr || calls < kMinCalls) return std::nullopt;
  return Finding{"small_messages", "GPUs exchange many small messages, whose time is latency",
                 at_stake,
                 fmt::format("{} calls with less than {}; the most time is in {}, {} per call",
                             calls, size_text(kSmallMessage), group_text(*most),
                             time_text(static_cast<std::int64_t>(most->typical_time()))),
                 "Send larger messages: bigger buckets (bucket_cap_mb in DDP), fused gradients, "
                 "several calls in one ncclGroupStart/ncclGroupEnd"};
}

}  // namespace prof::analyze
