#include "collector/metrics/plugins/plugin_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <regex>

#include "collector/metrics/counter_source.hpp"
#include "collector/metrics/nvml/gpu_selection.hpp"
#include "collector/metrics/nvml/process_source.hpp"
#include "collector/metrics/topology/gpu_topology.hpp"

namespace prof::metrics {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr seconds kSlowPeriod{1};  // for counters that change slowly or take long to read

std::string argument(const PluginRequest& request, const char* name) {
  const auto at = request.arguments.find(name);
  return at == request.arguments.end() ? "" : at->second;
}

template <class Unit>
nanoseconds period_of(const PluginRequest& request, Unit usual, const char* name = "interval") {
  const std::string value = argument(request, name);
  return value.empty() ? usual : Unit(std::atoll(value.c_str()));
}

TotalsAs totals_of(const PluginRequest& request) {
  const std::string mode = argument(request, "mode");
  if (mode == "delta") return TotalsAs::kDifferences;
  return mode == "total" ? TotalsAs::kSums : TotalsAs::kRates;
}

// Returns a filter for whole names. Without a pattern, it selects no names.
base::Result<NameFilter> filter_of(const PluginRequest& request, const char* name) {
  const std::string pattern = argument(request, name);
  if (pattern.empty()) return NameFilter();
  if (pattern == "all") return NameFilter([](const std::string&) { return true; });
  try {
    const std::regex expression(pattern);
    return NameFilter(
        [expression](const std::string& each) { return std::regex_match(each, expression); });
  } catch (const std::regex_error&) {
    return base::fail(
        fmt::format("{}: --{}={} is not a regular expression", request.name, name, pattern));
  }
}

void append(CounterReaders& to, CounterReaders more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Makes a source that adds a remark if there is nothing to read.
std::unique_ptr<CounterSource> source_of(std::function<CounterReaders()> make, TotalsAs totals,
                                         std::string nothing) {
  return std::make_unique<CounterSource>(
      [make = std::move(make), nothing = std::move(nothing)](MetricBuffer& buffer) {
        CounterReaders readers = make();
        if (readers.empty()) buffer.remark(spool::Severity::kWarning, nothing);
        return readers;
      },
      totals);
}

struct PluginContext {
  const PluginThreads& threads;
  const SystemRoot& root;
};

base::Status add_network(const PluginRequest& request, const PluginContext& place) {
  const auto devices = filter_of(request, "device");
  if (!devices) return tl::make_unexpected(devices.error());
  auto metrics = filter_of(request, "metric");
  if (!metrics) return tl::make_unexpected(metrics.error());
  if (!*metrics)
    metrics = NameFilter([usual = std::regex("[rt]x_(bytes|packets|dropped|errors)")](
                             const std::string& name) { return std::regex_match(name, usual); });
  place.threads.system.add(
      source_of(
          [root = place.root, devices = *devices, metrics = *metrics] {
            CounterReaders readers = network_readers(root, devices, metrics);
            append(readers, infiniband_readers(root, devices));
            return readers;
          },
          totals_of(request),
          "Network counters are not recorded: no interface in /sys/class/net has the "
          "name and the counters that are asked for."),
      period_of(request, microseconds(100'000)));
  return {};
}

base::Status add_storage(const PluginRequest& request, const PluginContext& place) {
  const auto disks = filter_of(request, "device");
  const auto nfs = filter_of(request, "nfs-volumes");
  const auto lustre = filter_of(request, "lustre-volumes");
  for (const auto* each : {&disks, &nfs, &lustre})
    if (!*each) return tl::make_unexpected(each->error());
  place.threads.system.add(
      source_of(
          [root = place.root, disks = *disks, nfs = *nfs, lustre = *lustre,
           folder = argument(request, "lustre-llite-dir")] {
            CounterReaders readers = disk_readers(root, disks);
            append(readers, nfs_readers(root, nfs));
            append(readers, lustre_readers(root, folder, lustre));
            return readers;
          },
          totals_of(request),
          "Storage counters are not recorded: there is no disk in /sys/block and no NFS or Lustre "
          "mount."),
      period_of(request, milliseconds(100)));
  return {};
}

nanoseconds efa_period(const PluginRequest& request) {
  const std::string value = argument(request, "freq");
  const long long frequency = value.empty() ? 10 : std::atoll(value.c_str());
  constexpr long long kSecond = 1'000'000'000;
  return nanoseconds(frequency > 0 ? std::max(kSecond / frequency, 1'000'000LL)
                                   : -frequency * kSecond);
}

base::Status add_efa(const PluginRequest& request, const PluginContext& place) {
  const auto is_on = [&](const char* name) { return argument(request, name) == "true"; };
  const std::string folder = argument(request, "efa-counters-sysfs");
  const EfaOptions options{folder.empty() ? argument(request, "efa-sysfs") : folder,
                           is_on("efa-work-requests"), is_on("packets"), is_on("errors"),
                           is_on("efa-non-rdma")};
  place.threads.system.add(
      source_of([root = place.root, options] { return efa_readers(root, options); },
                totals_of(request),
                "EFA counters are not recorded: there is no Elastic Fabric Adapter in "
                "/sys/class/infiniband."),
      efa_period(request));
  return {};
}

base::Status add_cpu(const PluginRequest& request, const PluginContext& place) {
  place.threads.system.add(
      source_of([root = place.root] { return cpu_readers(root); }, totals_of(request),
                "CPU counters are not recorded: /proc/stat cannot be read."),
      period_of(request, milliseconds(100)));
  // Virtual machines have no frequencies. This is not worth a warning.
  place.threads.system.add(
      std::make_unique<CounterSource>(
          [root = place.root](MetricBuffer&) { return cpu_frequency_readers(root); },
          TotalsAs::kRates),
      kSlowPeriod);
  return {};
}

base::Status add_memory(const PluginRequest& request, const PluginContext& place) {
  place.threads.system.add(
      source_of([root = place.root] { return memory_readers(root); }, totals_of(request),
                "Memory counters are not recorded: /proc/meminfo cannot be read."),
      period_of(request, milliseconds(100)));
  return {};
}

// Writes the facts that `prof status --gpus` shows into the report.
void add_topology(const SystemRoot& root, MetricBuffer& buffer) {
  constexpr int kCompact = -1;
  if (const auto topology = find_gpus(root))
    buffer.fact({"GpuTopology", 0, describe_json(*topology, root, kCompact)});
}

class NvmlSources {
 public:
  NvmlSources(nvml::GpuSelection selection, TotalsAs totals)
      : selection_(std::move(selection)), totals_(totals) {}

  // Makes a source with a reader for each GPU.
  std::unique_ptr<CounterSource> make(
      std::function<std::unique_ptr<nvml::GpuReader>(const nvml::Gpu&)> make_reader) const {
    return std::make_unique<CounterSource>(
        [selection = selection_, make_reader = std::move(make_reader)](MetricBuffer&) {
          return readers(selection.find(), make_reader);
        },
        totals_);
  }
  // Makes the first source, which also reports what is missing.
  std::unique_ptr<CounterSource> make_first(const SystemRoot& root) const {
    return std::make_unique<CounterSource>(
        [selection = selection_, root](MetricBuffer& buffer) {
          const auto gpus = selection.find();
          if (gpus)
            add_topology(root, buffer);
          else
            buffer.remark(spool::Severity::kWarning,
                          "NVML metrics are not recorded: " + gpus.error().message + ".");
          return readers(gpus, nvml::make_load_reader);
        },
        totals_);
  }
  std::unique_ptr<nvml::ProcessSource> make_processes() const {
    return std::make_unique<nvml::ProcessSource>(
        [selection = selection_] { return selection.find().value_or(std::vector<nvml::Gpu>()); });
  }

 private:
  template <class Make>
  static CounterReaders readers(const base::Result<std::vector<nvml::Gpu>>& gpus,
                                const Make& make) {
    CounterReaders list;
    if (gpus)
      for (const nvml::Gpu& gpu : *gpus) list.push_back(make(gpu));
    return list;
  }

  nvml::GpuSelection selection_;
  TotalsAs totals_;
};

base::Status add_nvml(const PluginRequest& request, const PluginContext& place) {
  const std::string chosen = argument(request, "gpu-devices");
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto selection = nvml::GpuSelection::parse(chosen, visible == nullptr ? "" : visible);
  if (!selection) return base::fail(fmt::format("{}: {}", request.name, selection.error().message));
  const NvmlSources sources(*selection, totals_of(request));
  const nanoseconds period = period_of(request, milliseconds(100));
  place.threads.gpus.add(sources.make_first(place.root), period);
  place.threads.gpus.add(sources.make(nvml::make_throttling_reader), period);
  place.threads.meters.add(sources.make([](const nvml::Gpu& gpu) {
    return make_meter_reader(gpu, nvml::PciePolicy::kOnlyCounters);
  }),
                           period_of(request, milliseconds(1000), "meter-interval"));
  place.threads.meters.add(sources.make(nvml::make_state_reader), kSlowPeriod);
  place.threads.meters.add(sources.make_processes(), kSlowPeriod);
  return {};
}

}  // namespace

base::Status add_plugin_sources(const std::vector<PluginRequest>& requests,
                                const PluginThreads& threads, const SystemRoot& root) {
  const std::map<std::string, base::Status (*)(const PluginRequest&, const PluginContext&)> makers =
      {{"nvml_metrics", add_nvml},       {"network_interface", add_network},
       {"storage_metrics", add_storage}, {"efa_metrics", add_efa},
       {"cpu_metrics", add_cpu},         {"memory_metrics", add_memory}};
  for (const PluginRequest& request : requests)
    if (base::Status added = makers.at(request.name)(request, {threads, root}); !added)
      return added;
  return {};
}

}  // namespace prof::metrics
