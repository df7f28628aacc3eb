#include "exporters/viewer/timeline/loading/row_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "exporters/analysis/events/global_ids.hpp"

namespace prof::timeline {

namespace {

constexpr std::int64_t kNoStream = 0xffffffff;  // CUPTI's number for "no stream"

std::string file_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

const char* title_of(RowKind kind) {
  switch (kind) {
    case RowKind::kCudaApi:
      return "CUDA API";
    case RowKind::kOsrt:
      return "OS calls";
    case RowKind::kSyscall:
      return "System calls";
    case RowKind::kState:
      return "Thread state";
    case RowKind::kSamples:
      return "CPU samples";
    case RowKind::kPythonSamples:
      return "Python samples";
    case RowKind::kMpi:
      return "MPI";
    case RowKind::kOpenMp:
      return "OpenMP";
    case RowKind::kOpenAcc:
      return "OpenACC";
    case RowKind::kKernels:
      return "Kernels";
    case RowKind::kCopies:
      return "Copies";
    case RowKind::kFills:
      return "Fills";
    case RowKind::kGraphs:
      return "Graphs";
    case RowKind::kNvtxGpu:
      return "NVTX";
    case RowKind::kWaits:
      return "Waits";
    case RowKind::kMemory:
      return "Memory in use";
    case RowKind::kQueue:
      return "Queue length";
    case RowKind::kFiles:
      return "Files and sockets";
    case RowKind::kBytes:
      return "Bytes per second";
    case RowKind::kOverhead:
      return "Profiler overhead";
    case RowKind::kPath:
      return "Critical path";
    case RowKind::kFaults:
      return "Page faults";
    case RowKind::kStalls:
      return "What warps wait for";
    default:
      return "Events";
  }
}

// Kinds in the order in which rows of one parent are shown.
constexpr std::array kDisplayOrder = {
    RowKind::kReport,        RowKind::kPath,      RowKind::kGpus,    RowKind::kGpu,
    RowKind::kCpus,          RowKind::kCpu,       RowKind::kState,   RowKind::kSamples,
    RowKind::kPythonSamples, RowKind::kNvtx,      RowKind::kPython,  RowKind::kGil,
    RowKind::kMpi,           RowKind::kLibrary,   RowKind::kCudaApi, RowKind::kOpenMp,
    RowKind::kOpenAcc,       RowKind::kOsrt,      RowKind::kSyscall, RowKind::kFiles,
    RowKind::kNvtxGpu,       RowKind::kKernels,   RowKind::kCopies,  RowKind::kFills,
    RowKind::kGraphs,        RowKind::kQueue,     RowKind::kContext, RowKind::kStream,
    RowKind::kStalls,        RowKind::kWaits,     RowKind::kMemory,  RowKind::kProcess,
    RowKind::kThread,        RowKind::kProcesses, RowKind::kBytes,   RowKind::kFaults,
    RowKind::kMetric,        RowKind::kOverhead,  RowKind::kOther,   RowKind::kGroup};

int rank_of(RowKind kind) {
  return static_cast<int>(std::find(kDisplayOrder.begin(), kDisplayOrder.end(), kind) -
                          kDisplayOrder.begin());
}

}  // namespace

std::vector<std::unique_ptr<RowTree::Node>> RowTree::root() {
  std::vector<std::unique_ptr<Node>> nodes;
  nodes.push_back(std::make_unique<Node>());
  return nodes;
}

void RowTree::add_report(const std::string& name, std::shared_ptr<const Facts> facts,
                         bool several) {
  const auto number = static_cast<std::uint32_t>(reports_.size());
  reports_.push_back({name, std::move(facts), {}, kNoRow});
  if (several)
    reports_.back().row =
        row(number, kNoRow, RowKind::kReport, number, "", [&](Row& row) { row.name = name; });
}

template <class Make>
RowId RowTree::row(std::uint32_t report, RowId parent, RowKind kind, std::int64_t number,
                   const std::string& name, Make make) {
  const auto [known, is_new] = ids_.try_emplace({report, parent, kind, number, name});
  if (!is_new) return known->second;
  const auto id = static_cast<RowId>(nodes_.size());
  known->second = id;
  auto node = std::make_unique<Node>();
  node->number = number;
  node->row.id = id;
  node->row.parent = parent;
  node->row.kind = kind;
  node->row.report = report;
  make(node->row);
  nodes_.push_back(std::move(node));
  at(parent).children.push_back(id);
  return id;
}

RowId RowTree::row_below(RowId parent, RowKind kind, RowStyle style, const std::string& name,
                         std::int64_t number) {
  const Row above = at(parent).row;
  return row(above.report, parent, kind, number, name, [&](Row& row) {
    row.process = above.process;
    row.thread = above.thread;
    row.device = above.device;
    row.context = above.context;
    row.stream = above.stream;
    row.style = style;
    row.name = name.empty() ? title_of(kind) : name;
  });
}

RowId RowTree::process(std::uint32_t report, std::int64_t global_id) {
  const std::int64_t id = events::global_pid_of(global_id);
  return row(report, report_row(report), RowKind::kProcess, id, "", [&](Row& row) {
    const std::int64_t pid = events::pid_of(id);
    row.name = file_name(reports_[report].facts->process_name(id));
    if (row.name.empty()) row.name = "process";
    row.note = fmt::format("pid {}", pid);
    const auto rank = reports_[report].facts->rank(id);
    if (rank) row.note = fmt::format("rank {}, {}", *rank, row.note);
    row.process = id;
  });
}

RowId RowTree::thread(std::uint32_t report, std::int64_t global_tid) {
  return row(report, process(report, global_tid), RowKind::kThread, global_tid, "", [&](Row& row) {
    const std::int64_t tid = events::tid_of(global_tid);
    row.name = tid == kOthers ? "other threads" : reports_[report].facts->thread_name(global_tid);
    if (row.name.empty()) row.name = "thread";
    if (tid != kOthers) row.note = fmt::format("tid {}", tid);
    row.process = events::global_pid_of(global_tid);
    row.thread = global_tid;
  });
}

RowId RowTree::gpu(std::uint32_t report, std::int64_t global_pid, std::int64_t device) {
  const Gpu* gpu = reports_[report].facts->gpu(global_pid, device);
  // If the machine is unknown, equal numbers in two processes may be two GPUs.
  return gpu != nullptr
             ? gpu_row(report, gpu, gpu->id, "")
             : gpu_row(report, nullptr, device, fmt::format("pid {}", events::pid_of(global_pid)));
}

RowId RowTree::gpu_by_id(std::uint32_t report, std::int64_t id) {
  return gpu_row(report, reports_[report].facts->gpu_by_id(id), id, "");
}

RowId RowTree::gpu_row(std::uint32_t report, const Gpu* gpu, std::int64_t number,
                       const std::string& process) {
  const RowId group =
      row(report, report_row(report), RowKind::kGpus, 0, "", [](Row& row) { row.name = "GPUs"; });
  return row(report, group, RowKind::kGpu, number, process, [&](Row& row) {
    row.name = gpu == nullptr || gpu->name.empty() ? fmt::format("GPU {}", number)
                                                   : fmt::format("GPU {}: {}", number, gpu->name);
    row.note = process;
  });
}

RowId RowTree::cpus(std::uint32_t report) {
  return row(report, report_row(report), RowKind::kCpus, 0, "", [](Row& row) {
    row.name = "CPUs";
    row.style = RowStyle::kCounter;
  });
}

RowId RowTree::context(std::uint32_t report, std::int64_t global_pid, std::int64_t device,
                       std::int64_t context) {
  const std::int64_t pid = events::pid_of(global_pid);
  return row(report, gpu(report, global_pid, device), RowKind::kContext, context,
             fmt::format("{} {}", events::global_pid_of(global_pid), device), [&](Row& row) {
               row.name = fmt::format("Context {}", context);
               row.note = fmt::format("pid {}", pid);
               row.process = events::global_pid_of(global_pid);
               row.device = device;
               row.context = context;
             });
}

RowId RowTree::stream(std::uint32_t report, const RowKey& key) {
  const auto [pid, device, context_id, id] = key.ids;
  const RowId above = context(report, pid, device, context_id);
  // Work of a context that belongs to none of its streams is shown in the context's row.
  if (id == kNoStream) return above;
  return row(report, above, RowKind::kStream, id, "", [&, stream = id](Row& row) {
    const Facts& facts = *reports_[report].facts;
    row.name = stream == kOthers ? "Other streams" : fmt::format("Stream {}", stream);
    const std::string name = facts.stream_name(key.ids[0], key.ids[2], stream);
    if (!name.empty()) row.name += ": " + name;
    if (facts.is_default_stream(key.ids[0], key.ids[2], stream)) row.note = "default";
    row.process = events::global_pid_of(key.ids[0]);
    row.device = key.ids[1];
    row.context = key.ids[2];
    row.stream = stream;
  });
}

RowId RowTree::others(std::uint32_t report) {
  return row(report, report_row(report), RowKind::kGroup, 0, "Other",
             [](Row& row) { row.name = "Other"; });
}

void RowTree::set_domains(std::uint32_t report, const Domains& domains) {
  for (const auto& [key, name] : domains) reports_[report].domains[key] = name;
}

void RowTree::name_domain(Row& row, std::uint32_t report, const RowKey& key) const {
  const auto& domains = reports_[report].domains;
  const auto at = domains.find({events::process_of(key.ids[0]), key.ids[1]});
  const std::string name = at == domains.end() ? "" : at->second;
  row.kind = RowKind::kNvtx;
  row.name = "NVTX";
  if (name == "Python GIL")
    row.kind = RowKind::kGil;
  else if (name == "Python functions" || name == "PyTorch")
    row.kind = RowKind::kPython;
  if (!name.empty())
    row.name = name;
  else if (key.ids[1] != 0)
    row.name = fmt::format("NVTX domain {}", key.ids[1]);
}

RowId RowTree::row_of(std::uint32_t report, const Layer& layer, const RowKey& key) {
  RowId above = kNoRow;
  switch (layer.place) {
    case TreeLevel::kThread:
    case TreeLevel::kDomain:
      above = thread(report, key.ids[0]);
      break;
    case TreeLevel::kProcess:
      above = process(report, key.ids[0]);
      break;
    case TreeLevel::kStream:
      above = stream(report, key);
      break;
    case TreeLevel::kDevice:
      above = gpu(report, key.ids[0], key.ids[1]);
      break;
    case TreeLevel::kReport:
      above = others(report);
      break;
  }
  const bool is_domain = layer.place == TreeLevel::kDomain;
  const RowId id =
      row_below(above, layer.kind, layer.style, layer.name, is_domain ? key.ids[1] : 0);
  if (is_domain) name_domain(at(id).row, report, key);
  return id;
}

RowId RowTree::fold(RowKind kind, const std::string& name, std::vector<RowId> rows) {
  const RowId id = row_below(at(rows.front()).row.parent, kind, RowStyle::kDensity, name);
  for (const RowId row : rows) at(row).listed_below = id;
  at(id).is_fold = true;
  at(id).children = std::move(rows);
  return id;
}

void RowTree::unfold(std::uint32_t report) {
  for (const auto& node : nodes_) {
    if (node->row.report != report) continue;
    node->listed_below = kNoRow;
    if (node->is_fold) node->children.clear();
  }
}

// The values that determine the place of a row among its siblings.
struct RowTree::Activity {
  std::uint64_t events = 0;
  std::uint64_t own_events = 0;  // without events of the profiler
  bool uses_gpu = false;
  bool exact = true;
};

std::vector<RowTree::Activity> RowTree::activities() const {
  std::vector<Activity> all(nodes_.size());
  // Rows have larger ids than the rows above them, so this order visits them first.
  for (std::size_t id = nodes_.size() - 1; id > 0; --id) {
    const Row& row = nodes_[id]->row;
    Activity& own = all[id];
    if (nodes_[id]->is_fold) continue;
    const bool has_events = row.style != RowStyle::kDensity;
    own.events += has_events ? row.events : 0;
    if (has_events && row.kind != RowKind::kOverhead) own.own_events += row.events;
    own.uses_gpu = own.uses_gpu || (row.kind == RowKind::kCudaApi && row.events > 0);
    if (has_events && row.events > 0) own.exact = own.exact && row.exact;
    all[row.parent].events += own.events;
    all[row.parent].own_events += own.own_events;
    all[row.parent].exact = all[row.parent].exact && own.exact;
    all[row.parent].uses_gpu = all[row.parent].uses_gpu || own.uses_gpu;
  }
  for (std::size_t id = 1; id < nodes_.size(); ++id) {
    const RowId fold = nodes_[id]->listed_below;
    if (fold == kNoRow) continue;
    all[fold].events += all[id].events;
    all[fold].own_events += all[id].own_events;
    all[fold].exact = all[fold].exact && all[id].exact;
  }
  return all;
}

std::vector<RowId> RowTree::sorted_children(RowId id, const std::vector<Activity>& all) const {
  std::vector<RowId> children = at(id).children;
  const RowId fold = at(id).is_fold ? id : kNoRow;
  std::erase_if(children, [&](RowId child) {
    return all[child].events == 0 || at(child).listed_below != fold;
  });
  if (at(id).is_fold) return children;
  std::int64_t first_process = INT64_MAX;
  for (const RowId child : children)
    if (at(child).row.kind == RowKind::kProcess)
      first_process = std::min(first_process, at(child).number);
  const auto key = [&](RowId child) {
    const Row& row = at(child).row;
    const std::int64_t number = at(child).number;
    const Activity& activity = all[child];
    // The process that was launched has the lowest pid, and its first thread has the same number.
    const bool is_main =
        (row.kind == RowKind::kProcess && number == first_process) ||
        (row.kind == RowKind::kThread && events::pid_of(number) == events::tid_of(number));
    // A row of several threads has its place among the other threads.
    const RowKind kind = row.kind == RowKind::kThreads ? RowKind::kThread : row.kind;
    const bool by_activity = kind == RowKind::kProcess || kind == RowKind::kThread ||
                             kind == RowKind::kContext || kind == RowKind::kStream;
    return std::tuple(rank_of(kind), !is_main, row.kind == RowKind::kProcess && !activity.uses_gpu,
                      by_activity ? ~activity.own_events : 0, number, std::string_view(row.name),
                      child);
  };
  std::sort(children.begin(), children.end(), [&](RowId a, RowId b) { return key(a) < key(b); });
  return children;
}

void RowTree::list(RowId id, const std::vector<Activity>& all, std::vector<Shown>& order) const {
  for (const RowId child : sorted_children(id, all)) {
    order.push_back({child, id, all[child].events, all[child].exact});
    list(child, all, order);
  }
}

std::vector<RowTree::Shown> RowTree::in_order() const {
  std::vector<Shown> order;
  list(kNoRow, activities(), order);
  return order;
}

}  // namespace prof::timeline
