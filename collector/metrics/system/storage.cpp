// Disks and mounts.
#include <filesystem>

#include "collector/metrics/system/pressure.hpp"
#include "collector/metrics/system/stat_file.hpp"
#include "collector/metrics/system/system_readers.hpp"

namespace prof::metrics {

namespace {

constexpr char kStorageDomain[] = "Storage";

CounterKind total(const char* name, const char* unit) { return {name, unit, Reading::kTotal}; }

class Disk final : public CounterReader {
 public:
  Disk(StatFile file, const std::string& name) : file_(std::move(file)) {
    group_ = {kStorageDomain,
              name,
              {total("Read", "bytes"),
               total("Written", "bytes"),
               total("Reads", "requests"),
               total("Writes", "requests"),
               {"Busy", "%", Reading::kTime, spool::CounterType::kDouble},
               {"In Flight", "requests"}}};
  }
  // The columns are described in the kernel's Documentation/block/stat.rst.
  ReadOutcome read(std::span<double> values) override {
    const auto columns = numbers_of(file_.read());
    constexpr double kSector = 512;
    constexpr double kMillisecond = 1e-3;
    if (columns.size() < 11) return ReadOutcome::kGone;
    values[0] = columns[2] * kSector;
    values[1] = columns[6] * kSector;
    values[2] = columns[0];
    values[3] = columns[4];
    values[4] = columns[9] * kMillisecond;
    values[5] = columns[8];
    return ReadOutcome::kRead;
  }

 private:
  StatFile file_;
};

class IoPressure final : public CounterReader {
 public:
  explicit IoPressure(Pressure pressure) : pressure_(std::move(pressure)) {
    group_ = {kStorageDomain, "pressure", pressure_.counters()};
  }
  ReadOutcome read(std::span<double> values) override {
    pressure_.read(values);
    return ReadOutcome::kRead;
  }

 private:
  Pressure pressure_;
};

// Returns "/MNT" from "device SERVER:/PATH mounted on /MNT with fstype nfs4 statvers=1.1".
std::string mount_of(std::string_view line) {
  if (take_word(line) != "device") return {};
  take_word(line);
  if (take_word(line) != "mounted" || take_word(line) != "on") return {};
  std::string mount(take_word(line));
  if (take_word(line) != "with" || take_word(line) != "fstype") return {};
  return take_word(line).starts_with("nfs") ? mount : "";
}

// Returns the part of /proc/self/mountstats about one mount.
std::string_view section_of(std::string_view text, const std::string& mount) {
  while (!text.empty()) {
    if (mount_of(take_line(text)) != mount) continue;
    const std::size_t end = text.find("\ndevice ");
    return text.substr(0, end);
  }
  return {};
}

// Lines of a section start with tabs.
std::vector<double> section_numbers(std::string_view section, std::string_view key) {
  while (!section.empty()) {
    std::string_view line = take_line(section);
    if (take_word(line) == key) return numbers_of(line);
  }
  return {};
}

class NfsMount final : public CounterReader {
 public:
  NfsMount(std::shared_ptr<SharedStatFile> file, const std::string& mount)
      : file_(std::move(file)), mount_(mount) {
    group_ = {kStorageDomain,
              mount,
              {total("Read by Programs", "bytes"),
               total("Written by Programs", "bytes"),
               total("Read from Server", "bytes"),
               total("Written to Server", "bytes"),
               total("READ", "requests"),
               total("WRITE", "requests"),
               {"READ Latency", "ms", Reading::kLevel, spool::CounterType::kDouble},
               {"WRITE Latency", "ms", Reading::kLevel, spool::CounterType::kDouble}}};
  }
  ReadOutcome read(std::span<double> values) override {
    const std::string_view section = section_of(file_->text(seen_), mount_);
    const auto bytes = section_numbers(section, "bytes:");
    if (bytes.size() < 6) return ReadOutcome::kGone;
    values[0] = bytes[0] + bytes[2];  // bytes through the page cache and with O_DIRECT
    values[1] = bytes[1] + bytes[3];
    values[2] = bytes[4];
    values[3] = bytes[5];
    read_requests(section_numbers(section, "READ:"), reads_, values[4], values[6]);
    read_requests(section_numbers(section, "WRITE:"), writes_, values[5], values[7]);
    return ReadOutcome::kRead;
  }

 private:
  struct Requests {
    double count = 0;
    double milliseconds = 0;
  };
  // The latency is the mean of the requests since the last reading.
  static void read_requests(const std::vector<double>& columns, Requests& before, double& count,
                            double& latency) {
    count = latency = kNoValue;
    if (columns.size() < 8) return;
    const Requests now{columns[0], columns[7]};
    count = now.count;
    if (now.count > before.count && before.count > 0)
      latency = (now.milliseconds - before.milliseconds) / (now.count - before.count);
    before = now;
  }

  std::shared_ptr<SharedStatFile> file_;
  std::string mount_;
  std::uint64_t seen_ = 0;
  Requests reads_;
  Requests writes_;
};

class LustreMount final : public CounterReader {
 public:
  LustreMount(StatFile file, const std::string& name) : file_(std::move(file)) {
    group_ = {kStorageDomain,
              name,
              {total("Read", "bytes"), total("Written", "bytes"), total("Reads", "requests"),
               total("Writes", "requests"), total("Opens", "requests")}};
  }
  // The columns of "read_bytes 12 samples [bytes] 4096 1048576 123456" are count, minimum, maximum
  // and sum. A kind of request has no line before its first request.
  ReadOutcome read(std::span<double> values) override {
    const std::string_view text = file_.read();
    if (text.empty()) return ReadOutcome::kGone;
    read_bytes(text, "read_bytes", values[0], values[2]);
    read_bytes(text, "write_bytes", values[1], values[3]);
    const auto opens = line_of(text, "open");
    const auto count = opens ? numbers_of(*opens) : std::vector<double>();
    values[4] = count.empty() ? 0 : count[0];
    return ReadOutcome::kRead;
  }

 private:
  static void read_bytes(std::string_view text, const char* key, double& bytes, double& count) {
    bytes = count = 0;
    auto line = line_of(text, key);
    if (!line) return;
    const auto counts = numbers_of(*line);
    const std::size_t after_unit = line->find(']');
    if (counts.empty() || after_unit == std::string_view::npos) return;
    const auto rest = numbers_of(line->substr(after_unit + 1));
    count = counts[0];
    if (rest.size() >= 3) bytes = rest[2];
  }

  StatFile file_;
};

bool is_accepted(const NameFilter& filter, const std::string& name) {
  return !filter || filter(name);
}

}  // namespace

CounterReaders disk_readers(const SystemRoot& root, const NameFilter& devices) {
  const std::string folder = root.sys + "/block/";
  CounterReaders readers;
  for (const std::string& name : entries_of(folder)) {
    if (!is_accepted(devices, name)) continue;
    StatFile size(folder + name + "/size");
    if (size.read_number().value_or(0) == 0) continue;
    StatFile file(folder + name + "/stat");
    if (numbers_of(file.read()).size() >= 11)
      readers.push_back(std::make_unique<Disk>(std::move(file), name));
  }
  if (Pressure pressure(root.proc, "io"); pressure.is_known())
    readers.push_back(std::make_unique<IoPressure>(std::move(pressure)));
  return readers;
}

CounterReaders nfs_readers(const SystemRoot& root, const NameFilter& mounts) {
  const std::string path = root.proc + "/self/mountstats";
  const auto file = std::make_shared<SharedStatFile>(path);
  CounterReaders readers;
  StatFile mounted(path);
  std::string_view text = mounted.read();
  while (!text.empty()) {
    const std::string mount = mount_of(take_line(text));
    if (!mount.empty() && is_accepted(mounts, mount))
      readers.push_back(std::make_unique<NfsMount>(file, mount));
  }
  return readers;
}

CounterReaders lustre_readers(const SystemRoot& root, const std::string& folder,
                              const NameFilter& mounts) {
  CounterReaders readers;
  const std::vector<std::string> places =
      folder.empty() ? std::vector<std::string>{root.proc + "/fs/lustre/llite",
                                                root.sys + "/kernel/debug/lustre/llite"}
                     : std::vector<std::string>{folder};
  for (const std::string& place : places)
    for (const std::string& name : entries_of(place)) {
      StatFile file(place + "/" + name + "/stats");
      if (is_accepted(mounts, name) && !file.read().empty())
        readers.push_back(std::make_unique<LustreMount>(std::move(file), name));
    }
  return readers;
}

}  // namespace prof::metrics
