// Counters of network interfaces, InfiniBand ports and EFA adapters. Each counter has a file.
#include <algorithm>
#include <filesystem>

#include "collector/metrics/system/stat_file.hpp"
#include "collector/metrics/system/system_readers.hpp"

namespace prof::metrics {

namespace {

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

std::string unit_of(std::string_view name) {
  if (has(name, "bytes") || has(name, "data")) return "bytes";
  if (has(name, "packets") || has(name, "pkts")) return "packets";
  if (has(name, "err")) return "errors";
  if (has(name, "drop") || has(name, "discard")) return "packets";
  return "";
}

// Counters that are totals and have a file each.
class FileCounters final : public CounterReader {
 public:
  FileCounters(const char* domain, std::string device) {
    group_.domain = domain;
    group_.device = std::move(device);
  }
  void add(const std::string& path, const std::string& name, double scale) {
    StatFile file(path);
    if (group_.counters.size() >= spool::kMaxCounters || !file.read_number()) return;
    group_.counters.push_back({name, unit_of(name), Reading::kTotal, spool::CounterType::kInt64});
    files_.push_back({std::move(file), scale});
  }
  bool is_empty() const { return files_.empty(); }

  ReadOutcome read(std::span<double> values) override {
    bool any = false;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto number = files_[i].file.read_number();
      values[i] = number ? *number * files_[i].scale : kNoValue;
      any = any || number.has_value();
    }
    return any ? ReadOutcome::kRead : ReadOutcome::kGone;
  }

 private:
  struct Counted {
    StatFile file;
    double scale;
  };
  std::vector<Counted> files_;
};

void keep(CounterReaders& readers, std::unique_ptr<FileCounters> reader) {
  if (!reader->is_empty()) readers.push_back(std::move(reader));
}

std::vector<std::string> interfaces(const std::string& folder, const NameFilter& wanted) {
  std::vector<std::string> names = entries_of(folder);
  if (wanted) {
    std::erase_if(names, [&](const std::string& name) { return !wanted(name); });
    return names;
  }
  std::vector<std::string> physical = names;
  std::erase_if(physical, [&](const auto& name) { return !exists(folder + name + "/device"); });
  if (!physical.empty()) return physical;
  std::erase(names, "lo");
  return names;
}

// nsys shows sent bytes before received bytes.
std::vector<std::string> statistics_of(const std::string& folder, const NameFilter& wanted) {
  std::vector<std::string> names = entries_of(folder);
  std::erase_if(names, [&](const std::string& name) { return !wanted(name); });
  const auto rank = [](const std::string& name) {
    return name == "tx_bytes" ? 0 : name == "rx_bytes" ? 1 : 2;
  };
  std::stable_sort(names.begin(), names.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return names;
}

struct PortCounter {
  const char* file;
  const char* name;
  double scale;
};
// InfiniBand counts data in words of 4 bytes.
constexpr PortCounter kPortCounters[] = {
    {"port_xmit_data", "tx_bytes", 4},      {"port_rcv_data", "rx_bytes", 4},
    {"port_xmit_packets", "tx_packets", 1}, {"port_rcv_packets", "rx_packets", 1},
    {"port_xmit_wait", "tx_wait_ticks", 1}, {"port_xmit_discards", "tx_discards", 1},
    {"port_rcv_errors", "rx_errors", 1},    {"symbol_error", "symbol_errors", 1},
    {"link_downed", "link_downed", 1}};

bool is_efa(const std::string& device) {
  std::error_code error;
  const auto driver = std::filesystem::read_symlink(device + "/device/driver", error);
  if (!error) return driver.filename() == "efa";
  return exists(device + "/ports/1/hw_counters/rdma_read_resp_bytes");
}

bool is_wanted(const std::string& name, const EfaOptions& options) {
  if (has(name, "err") || has(name, "drop") || has(name, "unresponsive") || has(name, "timeout"))
    return options.errors;
  if (name.ends_with("_wrs")) return options.work_requests;
  if (has(name, "pkts")) return options.packets;
  if (!name.ends_with("_bytes")) return false;
  if (name == "send_bytes" || name == "recv_bytes") return options.non_rdma;
  return true;
}

}  // namespace

CounterReaders network_readers(const SystemRoot& root, const NameFilter& devices,
                               const NameFilter& counters) {
  const std::string folder = root.sys + "/class/net/";
  CounterReaders readers;
  for (const std::string& device : interfaces(folder, devices)) {
    const std::string statistics = folder + device + "/statistics/";
    auto reader = std::make_unique<FileCounters>("Network", device);
    for (const std::string& name : statistics_of(statistics, counters))
      reader->add(statistics + name, name, 1);
    keep(readers, std::move(reader));
  }
  return readers;
}

CounterReaders infiniband_readers(const SystemRoot& root, const NameFilter& devices) {
  const std::string folder = root.sys + "/class/infiniband/";
  CounterReaders readers;
  for (const std::string& device : entries_of(folder)) {
    if ((devices && !devices(device)) || is_efa(folder + device)) continue;
    for (const std::string& port : entries_of(folder + device + "/ports")) {
      const std::string counters = folder + device + "/ports/" + port + "/counters/";
      auto reader = std::make_unique<FileCounters>("InfiniBand", device + ":" + port);
      for (const PortCounter& counter : kPortCounters)
        reader->add(counters + counter.file, counter.name, counter.scale);
      keep(readers, std::move(reader));
    }
  }
  return readers;
}

CounterReaders efa_readers(const SystemRoot& root, const EfaOptions& options) {
  const std::string folder =
      (options.folder.empty() ? root.sys + "/class/infiniband" : options.folder) + "/";
  CounterReaders readers;
  for (const std::string& device : entries_of(folder)) {
    if (!is_efa(folder + device)) continue;
    for (const std::string& port : entries_of(folder + device + "/ports")) {
      const std::string counters = folder + device + "/ports/" + port + "/hw_counters/";
      auto reader = std::make_unique<FileCounters>("EFA", device + ":" + port);
      for (const std::string& name : entries_of(counters))
        if (is_wanted(name, options)) reader->add(counters + name, name, 1);
      keep(readers, std::move(reader));
    }
  }
  return readers;
}

}  // namespace prof::metrics
