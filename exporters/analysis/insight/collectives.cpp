#include "exporters/analysis/insight/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_set>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/nvtx/nvtx_payloads.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/insight/gpu_work.hpp"

namespace prof::insight {

namespace {

// Names of the fields of NCCL's payloads.
constexpr const char* kCommunicator = "NCCL communicator ID";
constexpr const char* kBytes = "Message size [bytes]";
constexpr const char* kRanks = "No. of ranks";
constexpr const char* kOwnRank = "Rank";
constexpr const char* kPeer = "Peer rank";

constexpr std::string_view kPrefix = "NCCL:nccl";
constexpr std::string_view kGroupEnd = "GroupEnd";

// Returns -1 if there is no such field.
std::int64_t rank_of(const nlohmann::json& fields, const char* name) {
  const auto found = fields.find(name);
  return found != fields.end() && found->is_number_integer() ? found->get<std::int64_t>() : -1;
}

std::uint64_t unsigned_of(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  return value.is_number_integer() ? static_cast<std::uint64_t>(value.get<std::int64_t>()) : 0;
}

// A range in which kernels can be launched: a call with a message, or the end of a group of calls.
struct Launcher {
  std::int64_t start;
  std::int64_t end;
  std::size_t call;  // kGroup: the launcher is the end of a group
};
constexpr std::size_t kGroup = ~std::size_t{0};

class Reader {
 public:
  explicit Reader(const report::ReportReader& reader) : reader_(reader), names_(reader) {}

  base::Result<Collectives> read() {
    if (!reader_.has_table(events::kNvtxTable)) return std::move(result_);
    if (auto status = read_calls(); !status) return tl::make_unexpected(status.error());
    if (result_.calls.empty()) return std::move(result_);
    if (auto status = read_ranks(); !status) return tl::make_unexpected(status.error());
    if (auto status = read_group_ends(); !status) return tl::make_unexpected(status.error());
    if (auto status = read_kernels(); !status) return tl::make_unexpected(status.error());
    for (CollectiveCall& call : result_.calls) {
      const auto own = own_ranks_.find({events::global_pid_of(call.global_tid), call.communicator});
      if (own != own_ranks_.end()) call.own_rank = own->second;
    }
    std::ranges::stable_sort(result_.calls, {}, &CollectiveCall::start);
    for (const auto& [id, ranks] : ranks_) result_.communicators.push_back({id, ranks});
    return std::move(result_);
  }

 private:
  base::Status read_calls() {
    return events::for_each_payload(
        reader_, names_, [&](const events::NvtxRange& range, std::string_view json) {
          const std::string& name = names_.text(range.name);
          if (!name.starts_with(kPrefix)) return;
          const auto fields = nlohmann::json::parse(json, nullptr, false);
          if (!fields.is_object() || !fields.contains(kCommunicator)) return;
          const std::uint64_t communicator = unsigned_of(fields[kCommunicator]);
          const auto bytes = fields.find(kBytes);
          if (bytes == fields.end()) return;
          ranks_.try_emplace(communicator, 0);
          launchers_[range.global_tid].push_back({range.start, range.end, result_.calls.size()});
          result_.calls.push_back({name.substr(kPrefix.size()), communicator,
                                   static_cast<std::int64_t>(unsigned_of(*bytes)), range.global_tid,
                                   range.start, range.end});
          result_.calls.back().peer = rank_of(fields, kPeer);
        });
  }

  // Reads the number of ranks of each communicator from the whole report: communicators are made at
  // the start of the program, which a filter may leave out.
  base::Status read_ranks() {
    return events::for_each_row(
        reader_,
        fmt::format("SELECT jsonText, globalTid FROM main.{} WHERE jsonText LIKE '%\"{}\"%'",
                    events::kNvtxTable, kRanks),
        [&](const report::Statement& row) {
          const auto fields = nlohmann::json::parse(row.text(0), nullptr, false);
          if (!fields.is_object() || !fields.contains(kCommunicator) || !fields.contains(kRanks))
            return;
          const std::uint64_t communicator = unsigned_of(fields[kCommunicator]);
          ranks_[communicator] = static_cast<std::int64_t>(unsigned_of(fields[kRanks]));
          own_ranks_[{events::global_pid_of(row.integer(1)), communicator}] =
              rank_of(fields, kOwnRank);
        });
  }

  base::Status read_group_ends() {
    return events::for_each_range(reader_, names_, [&](const events::NvtxRange& range) {
      const std::string& name = names_.text(range.name);
      if (name.starts_with(kPrefix) && name.substr(kPrefix.size()) == kGroupEnd)
        launchers_[range.global_tid].push_back({range.start, range.end, kGroup});
    });
  }

  // Returns the innermost launcher around a time, or launchers.size() if there is none.
  static std::size_t around(const std::vector<Launcher>& launchers, std::int64_t time) {
    constexpr int kMaxNested = 8;
    auto at = std::ranges::upper_bound(launchers, time, {}, &Launcher::start);
    for (int i = 0; i < kMaxNested && at != launchers.begin(); ++i)
      if ((--at)->end >= time) return static_cast<std::size_t>(at - launchers.begin());
    return launchers.size();
  }

  base::Status read_kernels() {
    for (auto& [thread, launchers] : launchers_)
      std::ranges::stable_sort(launchers, {}, &Launcher::start);
    const auto work = GpuWork::read(reader_);
    if (!work) return tl::make_unexpected(work.error());
    const auto calls = events::ApiCalls::read(reader_);
    if (!calls) return tl::make_unexpected(calls.error());
    for (const Operation& operation : work->operations()) {
      if (!operation.communication) continue;
      const events::ApiCall* launch =
          calls->launching(work->global_pid(operation), operation.correlation);
      if (launch == nullptr) continue;
      const auto found = launchers_.find(launch->global_tid);
      if (found == launchers_.end()) continue;
      const std::size_t index = around(found->second, launch->start);
      if (index < found->second.size()) add(found->second, index, operation);
    }
    return {};
  }

  // Adds the time of a kernel to its calls. A kernel that is launched at the end of a group does
  // the work of all calls of the group; each call gets a share of the time in proportion to its
  // bytes.
  void add(const std::vector<Launcher>& launchers, std::size_t index, const Operation& kernel) {
    if (launchers[index].call != kGroup) {
      launch_themselves_.insert(launchers[index].call);
      return add(result_.calls[launchers[index].call], kernel, kernel.duration());
    }
    std::size_t first = index;
    while (first > 0 && launchers[first - 1].call != kGroup &&
           !launch_themselves_.contains(launchers[first - 1].call))
      --first;
    double bytes = 0;
    for (std::size_t i = first; i < index; ++i)
      bytes += static_cast<double>(result_.calls[launchers[i].call].bytes);
    for (std::size_t i = first; i < index && bytes > 0; ++i) {
      CollectiveCall& call = result_.calls[launchers[i].call];
      const double share = static_cast<double>(call.bytes) / bytes;
      add(call, kernel, static_cast<std::int64_t>(share * static_cast<double>(kernel.duration())));
    }
  }
  static void add(CollectiveCall& call, const Operation& kernel, std::int64_t time) {
    if (call.gpu_time == 0 || kernel.start < call.gpu_start) {
      call.gpu_start = kernel.start;
      call.correlation = kernel.correlation;
    }
    call.gpu_end = std::max(call.gpu_end, kernel.end);
    call.gpu_time += time;
  }

  const report::ReportReader& reader_;
  events::RangeNames names_;
  Collectives result_;
  std::map<std::uint64_t, std::int64_t> ranks_;  // by communicator
  std::map<std::pair<std::int64_t, std::uint64_t>, std::int64_t>
      own_ranks_;                                            // by globalPid and communicator
  std::map<std::int64_t, std::vector<Launcher>> launchers_;  // by thread
  std::unordered_set<std::size_t> launch_themselves_;        // calls that are of no group
};

// True if nccl-tests multiply the size of the operation's message by the number of ranks.
bool counts_for_all_ranks(std::string_view name) {
  return name == "AllGather" || name == "ReduceScatter" || name == "AlltoAll" ||
         name == "AllToAll" || name == "Gather" || name == "Scatter";
}

double bus_factor(std::string_view name, std::int64_t ranks) {
  const double n = static_cast<double>(ranks);
  if (name == "AllReduce") return 2 * (n - 1) / n;
  return counts_for_all_ranks(name) ? (n - 1) / n : 1;
}

}  // namespace

base::Result<Collectives> Collectives::read(const report::ReportReader& reader) {
  return Reader(reader).read();
}

std::int64_t Collectives::ranks_of(std::uint64_t communicator) const {
  const auto found = std::ranges::find(communicators, communicator, &Communicator::id);
  return found == communicators.end() ? 0 : found->ranks;
}

double CollectiveGroup::moved_bytes() const {
  const double one = static_cast<double>(bytes);
  return counts_for_all_ranks(name) ? one * static_cast<double>(ranks) : one;
}

std::optional<double> CollectiveGroup::algorithm_bandwidth(double ns) const {
  if (ns <= 0 || (ranks == 0 && counts_for_all_ranks(name))) return std::nullopt;
  return moved_bytes() / ns;  // bytes per ns are equal to GB/s
}

std::optional<double> CollectiveGroup::bus_bandwidth(double ns) const {
  if (ranks == 0) return std::nullopt;
  const auto bandwidth = algorithm_bandwidth(ns);
  if (!bandwidth) return std::nullopt;
  return *bandwidth * bus_factor(name, ranks);
}

double CollectiveGroup::typical_time() const {
  if (instances.empty()) return 0;
  std::vector<std::int64_t> times;
  for (const CollectiveInstance& each : instances) times.push_back(each.shortest);
  std::ranges::sort(times);
  const std::size_t middle = times.size() / 2;
  if (times.size() % 2 == 1) return static_cast<double>(times[middle]);
  return (static_cast<double>(times[middle - 1]) + static_cast<double>(times[middle])) / 2;
}

bool CollectiveGroup::has_transfer_times() const {
  if (name == "Send" || name == "Recv") return false;
  return std::ranges::all_of(instances,
                             [&](const CollectiveInstance& each) { return each.ranks >= ranks; });
}

double CollectiveGroup::transfer_time() const {
  if (has_transfer_times() || instances.empty()) return typical_time();
  return static_cast<double>(
      std::ranges::min_element(instances, {}, &CollectiveInstance::shortest)->shortest);
}

double CollectiveGroup::mean_wait() const {
  double sum = 0;
  for (const CollectiveInstance& each : instances)
    sum += static_cast<double>(each.longest - each.shortest);
  return instances.empty() ? 0 : sum / static_cast<double>(instances.size());
}

std::vector<CollectiveGroup> groups_of(const Collectives& collectives) {
  using Key = std::tuple<std::uint64_t, std::string, std::int64_t>;
  std::map<Key, CollectiveGroup> groups;
  // The ranks of a communicator make the same calls in the same order, so the nth calls of all
  // ranks are one instance.
  std::map<std::pair<Key, std::int64_t>, std::size_t> counts;  // calls so far, by process
  std::map<Key, std::vector<CollectiveInstance>> instances;
  for (const CollectiveCall& call : collectives.calls) {
    const Key key{call.communicator, call.name, call.bytes};
    CollectiveGroup& group = groups[key];
    group.name = call.name;
    group.communicator = call.communicator;
    group.bytes = call.bytes;
    group.ranks = collectives.ranks_of(call.communicator);
    ++group.calls;
    const std::int64_t process = events::global_pid_of(call.global_tid);
    const std::size_t number = counts[{key, process}]++;
    if (call.gpu_time == 0) continue;
    auto& all = instances[key];
    if (all.size() <= number) all.resize(number + 1, {0, 0, 0, 0});
    CollectiveInstance& one = all[number];
    if (one.ranks == 0 || call.gpu_time < one.shortest) {
      one.shortest = call.gpu_time;
      one.last_rank = process;
    }
    one.longest = std::max(one.longest, call.gpu_time);
    ++one.ranks;
  }
  std::vector<CollectiveGroup> result;
  for (auto& [key, group] : groups) {
    for (const CollectiveInstance& one : instances[key])
      if (one.ranks != 0) group.instances.push_back(one);
    result.push_back(std::move(group));
  }
  return result;
}

}  // namespace prof::insight
