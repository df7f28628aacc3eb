#include "cli/monitor/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <sstream>

#include "cli/monitor/sparkline.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::cli {

namespace {

constexpr std::size_t kHistory = 60;
constexpr std::size_t kCurveWidth = 20;
constexpr double kPercent = 100;
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kAlarm = "\x1b[31m";
constexpr const char* kPlain = "\x1b[0m";

std::string number(double value, const char* unit) {
  return std::isnan(value) ? "-" : fmt::format("{:.0f}{}", value, unit);
}

std::string rate(double value) { return scaled(value, "B/s", false); }

// Adds parts of a line, as more lines if the terminal is narrow.
void add_parts(std::vector<std::string>& lines, const ScreenStyle& style,
               const std::vector<std::string>& parts) {
  constexpr std::string_view kIndent = "         ";
  for (std::string& line : tables::fill_lines(parts, "  ", style.width, kIndent))
    lines.push_back(std::move(line));
}

void cut(std::string& line, std::size_t width) {
  if (tables::display_width(line) > width) tables::shorten(line, width);
}

// Returns the names of a device's counters that start with "Throttled: " and are set.
std::string throttling_of(const DeviceValues& throttling) {
  constexpr std::string_view kStart = "Throttled: ";
  std::string names;
  for (const CounterValue& each : throttling.values)
    if (each.name.starts_with(kStart) && each.value > 0)
      names += (names.empty() ? "" : ", ") + each.name.substr(kStart.size());
  return names;
}

const DeviceValues* find(const GpuReadings& snapshot, const std::string& domain,
                         const std::string& device) {
  for (const DeviceValues& each : snapshot.devices)
    if (each.domain == domain && each.device == device) return &each;
  return nullptr;
}

bool is_before(const ProcessValues& a, const ProcessValues& b, ProcessOrder order) {
  const auto known = [](double value) { return std::isnan(value) ? -1 : value; };
  switch (order) {
    case ProcessOrder::kMemory:
      return known(a.memory) > known(b.memory);
    case ProcessOrder::kUtilization:
      return known(a.sm) > known(b.sm);
    case ProcessOrder::kPid:
      return a.pid < b.pid;
    case ProcessOrder::kName:
      return a.name < b.name;
    case ProcessOrder::kGpu:
      break;
  }
  return std::pair(a.gpu, a.pid) < std::pair(b.gpu, b.pid);
}

}  // namespace

std::string scaled(double value, const char* unit, bool binary) {
  if (std::isnan(value)) return "-";
  static constexpr std::array kDecimal = {"", "k", "M", "G", "T", "P"};
  static constexpr std::array kBinary = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  const double step = binary ? 1024 : 1000;
  std::size_t power = 0;
  for (; std::abs(value) >= step && power + 1 < kDecimal.size(); ++power) value /= step;
  const char* prefix = binary ? kBinary[power] : kDecimal[power];
  return power == 0 ? fmt::format("{:.0f} {}", value, unit)
                    : fmt::format("{:.1f} {}{}", value, prefix, unit);
}

void Screen::add(GpuReadings snapshot) {
  for (const DeviceValues& device : snapshot.devices)
    for (const CounterValue& each : device.values) {
      std::deque<double>& values = history_[{device.domain + device.device, each.name}];
      values.push_back(each.value);
      if (values.size() > kHistory) values.pop_front();
    }
  newest_ = std::move(snapshot);
}

std::string Screen::curve(const std::string& device, const std::string& counter, double most,
                          const ScreenStyle& style) const {
  const auto at = history_.find({device, counter});
  return at == history_.end() ? std::string(kCurveWidth, ' ')
                              : sparkline(at->second, kCurveWidth, most, style.unicode);
}

void Screen::draw_gpus(std::vector<std::string>& lines, const ScreenStyle& style) const {
  if (gpus_.empty()) return;
  lines.push_back(fmt::format("{:<4}{:<16}{:>5} {:<20} {:>5} {:>21} {:>9} {:>5} {:>9} {:>9}", "GPU",
                              "Name", "Util", "", "MemBw", "Memory", "Power", "Temp", "SM", "Mem"));
  for (const MonitoredGpu& gpu : gpus_) {
    const std::string name = fmt::format("GPU {}", gpu.index);
    const DeviceValues* load = find(newest_, "NVML", name);
    const std::string shown = tables::one_line(gpu.name, 15);
    if (load == nullptr) {
      lines.push_back(fmt::format("{:<4}{:<16} lost", gpu.index, shown));
      continue;
    }
    const auto further = [&](const char* subject) {
      const DeviceValues* found = find(newest_, "NVML", name + " " + subject);
      return found == nullptr ? DeviceValues() : *found;
    };
    const double limit = further("state").value("Power Limit");
    const DeviceValues meters = further("meters");
    lines.push_back(fmt::format(
        "{:<4}{:<16}{:>5} {} {:>5} {:>21} {:>9} {:>5} {:>9} {:>9}", gpu.index, shown,
        number(load->value("GPU Utilization"), "%"),
        curve("NVML" + name, "GPU Utilization", kPercent, style),
        number(load->value("Memory Utilization"), "%"),
        fmt::format("{}/{}", scaled(load->value("Memory Used"), "B", true),
                    scaled(gpu.memory, "B", true)),
        fmt::format("{}/{} W", number(load->value("Power"), ""), number(limit, "")),
        number(load->value("Temperature"), "C"), number(load->value("SM Clock"), " MHz"),
        number(load->value("Memory Clock"), " MHz")));
    lines.push_back(
        fmt::format("    {:<15}received {:>11}  sent {:>11}   NVLink  received {:>11}  "
                    "sent {:>11}",
                    "PCIe", rate(meters.value("PCIe RX")), rate(meters.value("PCIe TX")),
                    rate(meters.value("NVLink RX")), rate(meters.value("NVLink TX"))));
    if (const std::string reasons = throttling_of(further("throttling")); !reasons.empty())
      lines.push_back("    throttled: " + reasons);
  }
}

void Screen::draw_processes(std::vector<std::string>& lines, ProcessOrder order) const {
  if (gpus_.empty()) return;
  lines.emplace_back();
  lines.push_back(fmt::format("{:<4}{:>9} {:>5} {:>5} {:>5} {:>5} {:>5} {:>11}  {}", "GPU", "PID",
                              "Type", "SM", "MemBw", "Enc", "Dec", "Memory", "Name"));
  std::vector<ProcessValues> processes = newest_.processes;
  std::stable_sort(processes.begin(), processes.end(),
                   [&](const auto& a, const auto& b) { return is_before(a, b, order); });
  for (const ProcessValues& each : processes)
    lines.push_back(fmt::format("{:<4}{:>9} {:>5} {:>5} {:>5} {:>5} {:>5} {:>11}  {}", each.gpu,
                                each.pid, each.computes ? "C" : "G", number(each.sm, "%"),
                                number(each.memory_busy, "%"), number(each.encoder, "%"),
                                number(each.decoder, "%"), scaled(each.memory, "B", true),
                                tables::one_line(each.name, 60)));
  if (processes.empty()) lines.emplace_back("    no process that this user can see");
}

void Screen::draw_cpu_processes(std::vector<std::string>& lines, ProcessOrder order,
                                std::size_t most) const {
  if (newest_.cpu_processes.empty() || most == 0) return;
  std::vector<CpuProcess> processes = newest_.cpu_processes;
  std::ranges::stable_sort(processes, [&](const CpuProcess& a, const CpuProcess& b) {
    if (order == ProcessOrder::kMemory) return a.memory > b.memory;
    if (order == ProcessOrder::kPid) return a.pid < b.pid;
    if (order == ProcessOrder::kName) return a.name < b.name;
    return a.cpu > b.cpu;
  });
  lines.emplace_back();
  lines.push_back(
      fmt::format("{:<4}{:>9} {:>7} {:>11}  {}", "CPU", "PID", "Use", "Memory", "Name"));
  processes.resize(std::min(processes.size(), most));
  for (const CpuProcess& each : processes)
    lines.push_back(fmt::format("{:<4}{:>9} {:>6.1f}% {:>11}  {}", "", each.pid, each.cpu,
                                scaled(each.memory, "B", true), tables::one_line(each.name, 60)));
}

void Screen::draw_machine(std::vector<std::string>& lines, const ScreenStyle& style) const {
  const DeviceValues* cpu = find(newest_, "CPU", "all");
  const DeviceValues* memory = find(newest_, "Memory", "all");
  lines.emplace_back();
  if (cpu != nullptr)
    add_parts(
        lines, style,
        {fmt::format("{:<9}{}", "CPU", curve("CPUall", "User", kPercent, style)),
         fmt::format("user {:>4}", number(cpu->value("User"), "%")),
         fmt::format("system {:>4}", number(cpu->value("System"), "%")),
         fmt::format("I/O wait {:>4}", number(cpu->value("I/O Wait"), "%")),
         fmt::format("interrupts {:>4}", number(cpu->value("Interrupts"), "%")),
         fmt::format("runnable {:>4}", number(cpu->value("Runnable Tasks"), "")),
         fmt::format("pressure {:>4}", number(cpu->value("CPU Pressure: some tasks wait"), "%"))});
  std::deque<double> uses;
  for (const DeviceValues* each : newest_.of("CPU"))
    if (const double use = each->value("Use"); !std::isnan(use)) uses.push_back(use);
  if (!uses.empty())
    lines.push_back(
        fmt::format("{:<9}{}", "  each", sparkline(uses, uses.size(), kPercent, style.unicode)));
  if (memory == nullptr) return;
  const double used = memory->value("Used");
  const double all = used + memory->value("Available");
  add_parts(lines, style,
            {fmt::format("{:<9}{}", "Memory", curve("Memoryall", "Used", all, style)),
             fmt::format("used {} of {}", scaled(used, "B", true), scaled(all, "B", true)),
             "cached " + scaled(memory->value("Cached"), "B", true),
             "swap " + scaled(memory->value("Swap Used"), "B", true),
             fmt::format("faults {}/s", number(memory->value("Page Faults"), "")),
             fmt::format("pressure {:>4}",
                         number(memory->value("Memory Pressure: some tasks wait"), "%"))});
}

void Screen::draw_network(std::vector<std::string>& lines, const ScreenStyle& style) const {
  lines.emplace_back();
  for (const char* domain : {"Network", "InfiniBand", "EFA"})
    for (const DeviceValues* each : newest_.of(domain))
      add_parts(lines, style,
                {fmt::format("{:<9}{} {:<14}", "Network",
                             curve(domain + each->device, "rx_bytes", 0, style),
                             tables::one_line(each->device, 14)),
                 fmt::format("received {:>11}", rate(each->value("rx_bytes"))),
                 fmt::format("sent {:>11}", rate(each->value("tx_bytes"))),
                 fmt::format("dropped {}/s",
                             number(each->value("rx_dropped") + each->value("tx_dropped"), ""))});
}

void Screen::draw_storage(std::vector<std::string>& lines, const ScreenStyle& style) const {
  for (const DeviceValues* each : newest_.of("Storage")) {
    const std::string place = "Storage" + each->device;
    const std::string name = tables::one_line(each->device, 14);
    if (!std::isnan(each->value("In Flight")) || !std::isnan(each->value("Opens")))
      add_parts(lines, style,
                {fmt::format("{:<9}{} {:<14}", "Storage", curve(place, "Read", 0, style), name),
                 fmt::format("read {:>11}", rate(each->value("Read"))),
                 fmt::format("written {:>11}", rate(each->value("Written"))),
                 fmt::format("busy {:>4}", number(each->value("Busy"), "%"))});
    else if (!std::isnan(each->value("Read from Server")))
      add_parts(lines, style,
                {fmt::format("{:<9}{} {:<14}", "Storage",
                             curve(place, "Read from Server", 0, style), name),
                 fmt::format("read {:>11}", rate(each->value("Read from Server"))),
                 fmt::format("written {:>11}", rate(each->value("Written to Server")))});
  }
}

std::vector<std::string> Screen::draw(const ScreenStyle& style, ProcessOrder order,
                                      const std::vector<std::string>& heading,
                                      const std::string& remark) const {
  std::vector<std::string> lines = tables::fill_lines(heading, "  ", style.width, "  ");
  const std::size_t headings = lines.size();
  std::istringstream words(remark);
  const std::vector<std::string> remarks =
      tables::fill_lines({std::istream_iterator<std::string>(words), {}}, " ", style.width, "  ");
  lines.insert(lines.end(), remarks.begin(), remarks.end());
  const std::size_t texts = lines.size();
  lines.emplace_back();
  draw_gpus(lines, style);
  draw_processes(lines, order);
  draw_machine(lines, style);
  std::vector<std::string> devices;
  draw_network(devices, style);
  draw_storage(devices, style);
  // The processes take the lines that all else leaves.
  constexpr std::size_t kFewProcesses = 5, kManyProcesses = 10, kHeading = 2;
  const std::size_t taken = lines.size() + devices.size() + kHeading;
  draw_cpu_processes(lines, order,
                     style.lines == 0
                         ? kManyProcesses
                         : std::max(kFewProcesses, style.lines - std::min(style.lines, taken)));
  lines.insert(lines.end(), devices.begin(), devices.end());
  if (style.lines != 0 && lines.size() > style.lines) lines.resize(style.lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string& line = lines[i];
    cut(line, style.width);
    if (!style.color) continue;
    const bool is_heading = i < headings || line.starts_with("GPU ");
    const bool is_alarm = line.starts_with("    throttled") || (i >= headings && i < texts);
    if (is_heading || is_alarm) line = (is_alarm ? kAlarm : kBold) + line + kPlain;
  }
  return lines;
}

}  // namespace prof::cli
