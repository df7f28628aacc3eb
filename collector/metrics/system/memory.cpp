// Memory of the machine.
#include "collector/metrics/system/pressure.hpp"
#include "collector/metrics/system/stat_file.hpp"
#include "collector/metrics/system/system_readers.hpp"

namespace prof::metrics {

namespace {

constexpr double kKibi = 1024;

struct Event {
  const char* key;  // name in /proc/vmstat
  const char* name;
  const char* unit;
};
constexpr Event kEvents[] = {{"pgfault", "Page Faults", "faults"},
                             {"pgmajfault", "Major Page Faults", "faults"},
                             {"pswpin", "Swapped In", "pages"},
                             {"pswpout", "Swapped Out", "pages"}};

class MemoryReader final : public CounterReader {
 public:
  explicit MemoryReader(const SystemRoot& root)
      : info_(root.proc + "/meminfo"),
        events_(root.proc + "/vmstat"),
        pressure_(root.proc, "memory") {
    group_.domain = "Memory";
    group_.device = "all";
    for (const char* name : {"Used", "Available", "Cached", "Dirty", "Shared", "Swap Used"})
      group_.counters.push_back({name, "bytes"});
    for (const Event& event : kEvents)
      group_.counters.push_back({event.name, event.unit, Reading::kTotal});
    if (!pressure_.is_known()) return;
    for (CounterKind& each : pressure_.counters()) group_.counters.push_back(std::move(each));
  }
  bool is_known() { return !info_.read().empty(); }

  // Used memory is what programs cannot get without swapping, so caches do not count.
  ReadOutcome read(std::span<double> values) override {
    const std::string_view info = info_.read();
    if (info.empty()) return ReadOutcome::kGone;
    const auto bytes = [&](const char* key) { return number_after(info, key) * kKibi; };
    std::size_t at = 0;
    values[at++] = bytes("MemTotal") - bytes("MemAvailable");
    for (const char* key : {"MemAvailable", "Cached", "Dirty", "Shmem"}) values[at++] = bytes(key);
    values[at++] = bytes("SwapTotal") - bytes("SwapFree");
    const std::string_view events = events_.read();
    for (const Event& event : kEvents) values[at++] = number_after(events, event.key);
    if (pressure_.is_known()) pressure_.read(values.subspan(at));
    return ReadOutcome::kRead;
  }

 private:
  StatFile info_;
  StatFile events_;
  Pressure pressure_;
};

}  // namespace

CounterReaders memory_readers(const SystemRoot& root) {
  CounterReaders readers;
  auto reader = std::make_unique<MemoryReader>(root);
  if (reader->is_known()) readers.push_back(std::move(reader));
  return readers;
}

}  // namespace prof::metrics
