#include "collector/ingest/job/ranks.hpp"

#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace prof::ingest {

namespace {

using report::Value;

// The longest line of forks that is followed, as damaged recordings may have circles.
constexpr std::size_t kMaxForks = 64;

// The values of kRankVariables in one process; empty: not set.
using Values = std::array<std::string_view, wire::kNumRankVariables>;

std::string_view value_of(const Values& values, std::string_view name) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (wire::kRankVariables[i] == name) return values[i];
  return {};
}

std::string_view first_of(const Values& values, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const std::string_view value = value_of(values, name); !value.empty()) return value;
  return {};
}

// Returns -1 if the text is not a number.
std::int64_t number_in(std::string_view text) {
  return wire::rank_number(text.data(), text.size());
}

Value number_or_null(std::string_view text) {
  const std::int64_t number = number_in(text);
  return number < 0 ? Value(nullptr) : Value(number);
}

Value text_or_null(const std::string& text) {
  return text.empty() ? Value(nullptr) : Value(std::string_view(text));
}

// The scheduler's name of the job is the same for all launchers inside of it.
std::string job_of(const Values& values) {
  const std::string_view array = value_of(values, "SLURM_ARRAY_JOB_ID");
  const std::string_view task = value_of(values, "SLURM_ARRAY_TASK_ID");
  if (!array.empty() && !task.empty()) return std::string(array) + '_' + std::string(task);
  const std::string_view given =
      first_of(values, {"SLURM_JOB_ID", "FLUX_JOB_ID", "LSB_JOBID", "PBS_JOBID", "RAY_JOB_ID"});
  if (!given.empty()) return std::string(given);
  // torchrun calls a job without an id "none".
  const std::string_view run = value_of(values, "TORCHELASTIC_RUN_ID");
  if (!run.empty() && run != "none") return std::string(run);
  return std::string(value_of(values, "PMIX_NAMESPACE"));
}

std::string pod_of(const Values& values) {
  const std::string_view space = value_of(values, "POD_NAMESPACE");
  const std::string_view pod = value_of(values, "POD_NAME");
  return space.empty() || pod.empty() ? std::string(pod)
                                      : std::string(space) + '/' + std::string(pod);
}

void set_values(const std::vector<std::uint64_t>& texts, const StringTable& strings,
                Values& values) {
  for (const std::uint64_t hash : texts) {
    const std::string_view text = strings.text(hash);
    const std::size_t index = wire::rank_variable_of(text.data(), text.size());
    if (index < values.size()) values[index] = text.substr(text.find('=') + 1);
  }
}

// Returns the best source that gives this rank: it also knows the rank on the node.
const wire::RankSource& source_that_agrees(const Values& values, std::int64_t rank) {
  static constexpr wire::RankSource kNone{"", "", "", "", "", ""};
  for (const wire::RankSource& source : wire::kRankSources) {
    const std::int64_t given = number_in(value_of(values, source.rank));
    if (given >= 0 && given == rank) return source;
  }
  return kNone;
}

// The rank that MPI gave to a process. It is better than that of any launcher.
struct MpiRank {
  std::int64_t rank, size;
};

void write_process(std::int64_t global_pid, const Values& values, const std::optional<MpiRank>& mpi,
                   report::ReportWriter& writer) {
  const std::string job = job_of(values);
  const std::string pod = pod_of(values);
  const std::string node(value_of(values, "NODE_NAME"));
  const std::string_view attempt =
      first_of(values, {"TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"});
  std::set<std::int64_t> ranks;
  const auto write = [&](std::int64_t rank, const Value& size, const wire::RankSource& source,
                         const char* name) {
    if (!ranks.insert(rank).second) return;
    writer.add("PROF_RANKS",
               {global_pid, rank, size, number_or_null(value_of(values, source.local_rank)),
                number_or_null(value_of(values, source.local_size)),
                number_or_null(value_of(values, source.node_rank)), text_or_null(job),
                number_or_null(attempt), text_or_null(node), text_or_null(pod), name,
                static_cast<std::int64_t>(ranks.size()) - 1});
  };
  if (mpi) write(mpi->rank, Value(mpi->size), source_that_agrees(values, mpi->rank), "mpi");
  for (const wire::RankSource& source : wire::kRankSources)
    if (const std::int64_t rank = number_in(value_of(values, source.rank)); rank >= 0)
      write(rank, number_or_null(value_of(values, source.size)), source, source.name);
}

}  // namespace

void Ranks::add(std::uint32_t serial, const wire::RankVariableRecord& record) {
  texts_[serial].push_back(record.text);
}

void Ranks::set_world(std::uint32_t serial, std::int64_t rank, std::int64_t size) {
  worlds_[serial] = {rank, size};
}

void Ranks::write(const ProcessTable& processes, const StringTable& strings,
                  report::ReportWriter& writer) const {
  struct Process {
    Values values{};
    std::optional<MpiRank> mpi;
  };
  // A process that has called exec has several images. The last one that reported counts.
  std::map<std::int64_t, Process> by_process;
  for (const ProcessImage& image : processes.images()) {
    const auto world = worlds_.find(image.serial);
    if (world == worlds_.end() && !texts_.contains(image.serial)) continue;
    Process process;
    if (world != worlds_.end()) process.mpi = {world->second.rank, world->second.size};
    std::vector<std::uint32_t> line;
    for (const ProcessImage* at = &image; at != nullptr && line.size() < kMaxForks;
         at = at->parent_serial == 0 ? nullptr : processes.find(at->parent_serial))
      line.push_back(at->serial);
    for (auto serial = line.rbegin(); serial != line.rend(); ++serial)
      if (const auto found = texts_.find(*serial); found != texts_.end())
        set_values(found->second, strings, process.values);
    by_process[processes.global_pid_of(image.serial)] = process;
  }
  for (const auto& [global_pid, process] : by_process)
    write_process(global_pid, process.values, process.mpi, writer);
}

}  // namespace prof::ingest
