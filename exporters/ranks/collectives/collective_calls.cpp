#include "exporters/ranks/collectives/collective_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/collectives.hpp"
#include "exporters/analysis/insight/torch_collectives.hpp"
#include "exporters/ranks/collectives/mpi_communicators.hpp"

namespace prof::ranks {

using base::Result;
using base::Status;

namespace {

constexpr const char* kKernels = events::kKernelTable;

// A broadcast or a reduction to one rank ends at different times.
bool is_for_all(std::string_view operation) {
  constexpr std::array<std::string_view, 4> kOperations{"AllReduce", "AllGather", "ReduceScatter",
                                                        "Barrier"};
  return std::ranges::any_of(kOperations, [&](std::string_view each) {
    return operation.find(each) != std::string_view::npos;
  });
}

bool is_message(std::string_view operation) {
  return operation.find("Send") != std::string_view::npos ||
         operation.find("Recv") != std::string_view::npos;
}

// Returns "AllReduce" for "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)".
std::string operation_of_kernel(std::string_view name) {
  const std::size_t first = name.find('_');
  if (first == std::string_view::npos) return std::string(name.substr(0, name.find('(')));
  const std::string_view rest = name.substr(first + 1);
  return std::string(rest.substr(0, rest.find_first_of("_(")));
}

class CallReader {
 public:
  CallReader(const report::ReportReader& reader, const std::vector<ReportRank>& ranks,
             CallDetails details)
      : reader_(reader), ranks_(ranks), details_(details) {}

  Result<ReportCalls> read() {
    if (const Status read = read_payloads(); !read) return tl::make_unexpected(read.error());
    if (result_.sequences.empty() && result_.without_kernel == 0)
      if (const Status read = read_kernels(); !read) return tl::make_unexpected(read.error());
    if (const Status read = read_mpi(); !read) return tl::make_unexpected(read.error());
    if (result_.sequences.empty())
      if (const Status read = read_torch(); !read) return tl::make_unexpected(read.error());
    return std::move(result_);
  }

 private:
  // Returns null if the process has no rank.
  CallSequence* add(std::int64_t process, CallSource source, std::string_view communicator,
                    std::int64_t ranks) {
    const auto place = place_of(ranks_, process);
    if (!place) return nullptr;
    CallSequence& sequence = result_.sequences.emplace_back();
    sequence.communicator = fmt::format("{}/{}", ranks_[*place].unit.job, communicator);
    sequence.source = source;
    sequence.place = *place;
    sequence.global_pid = process;
    sequence.ranks = ranks;
    return &sequence;
  }

  static std::uint32_t number_of(CallSequence& sequence, const std::string& operation) {
    const auto found = std::ranges::find(sequence.operations, operation);
    const auto number = static_cast<std::uint32_t>(found - sequence.operations.begin());
    if (found == sequence.operations.end()) sequence.operations.push_back(operation);
    return number;
  }

  Status read_payloads() {
    const auto read = insight::Collectives::read(reader_);
    if (!read) return tl::make_unexpected(read.error());
    using Key = std::pair<std::int64_t, std::uint64_t>;  // process and communicator
    std::map<Key, std::vector<const insight::CollectiveCall*>> calls;
    for (const insight::CollectiveCall& each : read->calls) {
      if (is_message(each.name)) {
        if (each.gpu_time != 0) result_.nccl_messages.push_back(each);
      } else if (each.gpu_time == 0) {
        ++result_.without_kernel;
      } else {
        calls[{events::global_pid_of(each.global_tid), each.communicator}].push_back(&each);
      }
    }
    for (const auto& [key, list] : calls) {
      CallSequence* sequence = add(key.first, CallSource::kPayloads,
                                   fmt::format("{:#x}", key.second), read->ranks_of(key.second));
      if (sequence == nullptr) continue;
      for (const insight::CollectiveCall* each : list) add_payload(*sequence, *each);
    }
    return {};
  }

  // Calls of a group have one kernel, so they arrive together: they count as one call.
  static void add_payload(CallSequence& sequence, const insight::CollectiveCall& call) {
    auto& calls = sequence.calls;
    if (!calls.empty() && call.correlation != 0 && calls.back().correlation == call.correlation) {
      calls.back().bytes += call.bytes;
      calls.back().letter = calls.back().letter * 31 + letter_of(call.name);
      calls.back().call_end = std::max(calls.back().call_end, call.end);
      return;
    }
    calls.push_back({call.start, call.end, call.gpu_start, call.gpu_end, call.bytes,
                     call.correlation, call.global_tid,
                     letter_of(fmt::format("{} {}", call.name, call.bytes)),
                     number_of(sequence, call.name), is_for_all(call.name)});
  }

  // Reads the kernels of collective operations: a sequence for each process and stream. The nth
  // stream of a process that has such kernels stands for the nth communicator.
  Status read_kernels() {
    if (!reader_.has_column(kKernels, "shortName")) return {};
    std::map<std::int64_t, std::string> names;
    const Status named = events::for_each_row(
        reader_, "SELECT id, value FROM main.StringIds WHERE value LIKE 'nccl%'",
        [&](const report::Statement& row) {
          if (!is_message(row.text(1))) names[row.integer(0)] = row.text(1);
        });
    if (!named || names.empty()) return named;
    std::map<std::int64_t, Streams> processes;
    const Status read = events::for_each_event(
        reader_, {kKernels, {"globalPid", "streamId", "shortName", "correlationId"}},
        [&](const events::Times& times, const report::Row& row) {
          const auto name = names.find(row.integer(2));
          if (name == names.end()) return;
          processes[row.integer(0)][row.integer(1)].push_back(
              {times, row.integer_or(3, 0), &name->second});
        });
    if (!read || processes.empty()) return read;
    for (auto& [process, streams] : processes) add_streams(process, streams);
    return details_ == CallDetails::kLaunches ? add_launches() : Status();
  }

  struct Kernel {
    events::Times times;
    std::int64_t correlation;
    const std::string* name;
  };
  using Streams = std::map<std::int64_t, std::vector<Kernel>>;

  void add_streams(std::int64_t process, Streams& streams) {
    std::vector<std::vector<Kernel>*> ordered;
    const auto end_of = [](const Kernel& kernel) { return kernel.times.end; };
    for (auto& [stream, kernels] : streams) {
      std::ranges::sort(kernels, {}, end_of);
      ordered.push_back(&kernels);
    }
    std::ranges::stable_sort(ordered, {},
                             [&](const auto* kernels) { return end_of(kernels->front()); });
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      CallSequence* sequence = add(process, CallSource::kKernels, std::to_string(i), 0);
      if (sequence == nullptr) return;
      for (const auto& [times, correlation, name] : *ordered[i])
        sequence->calls.push_back(
            {0, 0, times.start, times.end, -1, correlation, 0, letter_of(*name),
             number_of(*sequence, operation_of_kernel(*name)), is_for_all(*name)});
    }
  }

  Status add_launches() {
    const auto calls = events::ApiCalls::read(reader_);
    if (!calls) return tl::make_unexpected(calls.error());
    for (CallSequence& sequence : result_.sequences)
      for (RankCall& each : sequence.calls)
        if (const auto* launch = calls->launching(sequence.global_pid, each.correlation)) {
          each.call_start = launch->start;
          each.call_end = launch->end;
          each.global_tid = launch->global_tid;
        }
    return {};
  }

  Status read_mpi() {
    if (!reader_.has_table(events::kCollectiveTable)) return {};
    const auto communicators = MpiCommunicators::read(reader_);
    if (!communicators) return tl::make_unexpected(communicators.error());
    events::Strings strings(reader_);
    using Key = std::pair<std::int64_t, std::string>;  // process and name of the communicator
    std::map<Key, MpiCalls> processes;
    const Status read = events::for_each_event(
        reader_,
        {events::kCollectiveTable,
         {"globalTid", "textId", "commHandle", "size"},
         {},
         "WHERE \"end\" IS NOT NULL"},
        [&](const events::Times& times, const report::Row& row) {
          const std::int64_t tid = row.integer(0);
          const std::int64_t process = events::global_pid_of(tid);
          const auto communicator = communicators->of(process, row.integer_or(2, 0), times.start);
          MpiCalls& of = processes[{process, communicator.text}];
          of.communicator = communicator;
          of.calls.push_back(
              {times, tid, row.integer_or(1, events::Strings::kNone), row.integer_or(3, -1)});
        });
    if (!read) return read;
    for (auto& [key, of] : processes) {
      CallSequence* sequence = add(key.first, CallSource::kMpi, key.second, of.communicator.ranks);
      if (sequence == nullptr) continue;
      sequence->has_all_ranks = of.communicator.has_all_ranks;
      auto& calls = of.calls;
      std::ranges::stable_sort(calls, {}, [](const MpiCall& call) { return call.times.start; });
      for (const MpiCall& each : calls) {
        // MPI_Allreduce_init only prepares a request: MPI_Start begins the operation.
        const std::string& name = strings.text(each.name);
        if (name.find("_init") == std::string::npos) add_mpi(*sequence, each, name);
      }
    }
    return {};
  }

  // The group of a call is not known: all calls of a process are one sequence.
  Status read_torch() {
    const auto read = insight::read_torch_collectives(reader_);
    if (!read) return tl::make_unexpected(read.error());
    std::map<std::int64_t, std::vector<const insight::TorchCollective*>> processes;
    for (const insight::TorchCollective& each : *read)
      processes[events::global_pid_of(each.global_tid)].push_back(&each);
    for (auto& [process, calls] : processes) {
      CallSequence* sequence = add(process, CallSource::kMpi, "torch.distributed", 0);
      if (sequence == nullptr) continue;
      std::ranges::stable_sort(calls, {}, &insight::TorchCollective::start);
      for (const insight::TorchCollective* each : calls)
        sequence->calls.push_back({each->start, each->end, each->start, each->end, -1, 0,
                                   each->global_tid, letter_of(each->operation),
                                   number_of(*sequence, each->operation),
                                   insight::waits_for_all(*each)});
    }
    return {};
  }

  struct MpiCall {
    events::Times times;
    std::int64_t global_tid;
    std::int64_t name;
    std::int64_t bytes;
  };

  struct MpiCalls {
    MpiCommunicators::Name communicator;
    std::vector<MpiCall> calls;
  };

  // Sizes of one operation differ between ranks if its root or its counts do.
  static void add_mpi(CallSequence& sequence, const MpiCall& call, const std::string& function) {
    const bool is_mpi = function.starts_with("MPI_");
    const bool has_large_counts = function.ends_with("_c");
    std::string operation = is_mpi ? function.substr(4) : function;
    if (has_large_counts) operation.resize(operation.size() - 2);
    const bool ends_together = operation == "Allreduce" || operation == "Barrier" ||
                               operation == "Allgather" || operation == "Alltoall" ||
                               operation == "Reduce_scatter_block";
    sequence.calls.push_back(
        {call.times.start, call.times.end, call.times.start, call.times.end, call.bytes, 0,
         call.global_tid,
         letter_of(ends_together ? fmt::format("{} {}", operation, call.bytes) : operation),
         number_of(sequence, operation), ends_together});
  }

  const report::ReportReader& reader_;
  const std::vector<ReportRank>& ranks_;
  CallDetails details_;
  ReportCalls result_;
};

}  // namespace

std::uint64_t letter_of(std::string_view text) {  // FNV-1a: equal in all reports
  std::uint64_t letter = 0xcbf29ce484222325;
  for (const char c : text) letter = (letter ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return letter;
}

Result<ReportCalls> read_collective_calls(const report::ReportReader& reader,
                                          const std::vector<ReportRank>& ranks,
                                          CallDetails details) {
  return CallReader(reader, ranks, details).read();
}

}  // namespace prof::ranks
