// Use and frequency of the CPUs.
#include <unistd.h>

#include <algorithm>

#include "collector/metrics/system/pressure.hpp"
#include "collector/metrics/system/stat_file.hpp"
#include "collector/metrics/system/system_readers.hpp"

namespace prof::metrics {

namespace {

constexpr char kCpuDomain[] = "CPU";

CounterKind share(const char* name) {
  return {name, "%", Reading::kTime, spool::CounterType::kDouble};
}

// Columns of a line of /proc/stat, in ticks.
enum Column : std::size_t { kUser, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftIrq, kSteal };
constexpr std::size_t kColumns = 8;

// Returns the times of one CPU, or of all CPUs together, in seconds.
std::vector<double> times_of(std::string_view text, const std::string& cpu) {
  const auto line = line_of(text, cpu);
  std::vector<double> times = line ? numbers_of(*line) : std::vector<double>();
  if (times.size() < kColumns) return {};
  static const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  for (double& each : times) each /= ticks_per_second;
  return times;
}

bool is_cpu(const std::string& name) {
  return name.size() > 3 && name.starts_with("cpu") &&
         std::all_of(name.begin() + 3, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Returns the CPUs that are switched on, in the order of /proc/stat.
std::vector<std::string> cpus_of(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    std::string name(take_word(line));
    if (is_cpu(name)) names.push_back(std::move(name));
  }
  return names;
}

class AllCpus final : public CounterReader {
 public:
  AllCpus(std::shared_ptr<SharedStatFile> stat, const SystemRoot& root, std::size_t cpus)
      : stat_(std::move(stat)), pressure_(root.proc, "cpu"), cpus_(static_cast<double>(cpus)) {
    group_.domain = kCpuDomain;
    group_.device = "all";
    group_.counters = {share("User"),
                       share("System"),
                       share("I/O Wait"),
                       share("Interrupts"),
                       share("Stolen"),
                       {"Context Switches", "switches", Reading::kTotal},
                       {"Process Starts", "processes", Reading::kTotal},
                       {"Runnable Tasks", "tasks"},
                       {"Blocked Tasks", "tasks"}};
    if (!pressure_.is_known()) return;
    for (CounterKind& each : pressure_.counters()) group_.counters.push_back(std::move(each));
  }

  // Shares refer to all CPUs together: 100 % means that every CPU is busy.
  ReadOutcome read(std::span<double> values) override {
    const std::string_view text = stat_->text(seen_);
    const std::vector<double> times = times_of(text, "cpu");
    if (times.empty()) return ReadOutcome::kGone;
    values[0] = (times[kUser] + times[kNice]) / cpus_;
    values[1] = times[kSystem] / cpus_;
    values[2] = times[kIoWait] / cpus_;
    values[3] = (times[kIrq] + times[kSoftIrq]) / cpus_;
    values[4] = times[kSteal] / cpus_;
    values[5] = number_after(text, "ctxt");
    values[6] = number_after(text, "processes");
    values[7] = number_after(text, "procs_running");
    values[8] = number_after(text, "procs_blocked");
    if (pressure_.is_known()) pressure_.read(values.subspan(9));
    return ReadOutcome::kRead;
  }

 private:
  std::shared_ptr<SharedStatFile> stat_;
  Pressure pressure_;
  double cpus_;
  std::uint64_t seen_ = 0;
};

class OneCpu final : public CounterReader {
 public:
  OneCpu(std::shared_ptr<SharedStatFile> stat, std::string name)
      : stat_(std::move(stat)), name_(std::move(name)) {
    group_ = {kCpuDomain, name_.substr(3), {share("Use")}, true};
  }
  // A CPU that is switched off has no line in the file.
  ReadOutcome read(std::span<double> values) override {
    const std::vector<double> times = times_of(stat_->text(seen_), name_);
    values[0] = times.empty() ? kNoValue
                              : times[kUser] + times[kNice] + times[kSystem] + times[kIrq] +
                                    times[kSoftIrq] + times[kSteal];
    return ReadOutcome::kRead;
  }

 private:
  std::shared_ptr<SharedStatFile> stat_;
  std::string name_;
  std::uint64_t seen_ = 0;
};

class CpuFrequency final : public CounterReader {
 public:
  CpuFrequency(StatFile file, const std::string& cpu) : file_(std::move(file)) {
    group_ = {kCpuDomain, cpu + " frequency", {{"Frequency", "MHz"}}, true};
  }
  ReadOutcome read(std::span<double> values) override {
    constexpr double kKilohertz = 1e-3;
    values[0] = file_.read_number().value_or(kNoValue) * kKilohertz;
    return ReadOutcome::kRead;
  }

 private:
  StatFile file_;
};

}  // namespace

CounterReaders cpu_readers(const SystemRoot& root) {
  const std::string path = root.proc + "/stat";
  const std::vector<std::string> cpus = cpus_of(StatFile(path).read());
  const auto stat = std::make_shared<SharedStatFile>(path);
  CounterReaders readers;
  if (cpus.empty()) return readers;
  readers.push_back(std::make_unique<AllCpus>(stat, root, cpus.size()));
  for (const std::string& cpu : cpus) readers.push_back(std::make_unique<OneCpu>(stat, cpu));
  return readers;
}

CounterReaders cpu_frequency_readers(const SystemRoot& root) {
  const std::string folder = root.sys + "/devices/system/cpu/";
  std::vector<std::string> cpus = entries_of(folder);
  std::erase_if(cpus, [](const std::string& name) { return !is_cpu(name); });
  std::sort(cpus.begin(), cpus.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  CounterReaders readers;
  for (const std::string& cpu : cpus) {
    StatFile file(folder + cpu + "/cpufreq/scaling_cur_freq");
    if (file.read_number())
      readers.push_back(std::make_unique<CpuFrequency>(std::move(file), cpu.substr(3)));
  }
  return readers;
}

}  // namespace prof::metrics
