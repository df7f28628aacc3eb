#include "cli/monitor/snapshot_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace prof::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char each : text) result.append(each == '"' ? 2 : 1, each);
  return result + '"';
}

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

// Return the values of a process in the form of counters of a device.
DeviceValues as_device(const CpuProcess& process) {
  return {"CPU",
          fmt::format("process {} {}", process.pid, process.name),
          {{"Use", "%", process.cpu}, {"Memory Used", "bytes", process.memory}}};
}

DeviceValues as_device(const ProcessValues& process) {
  return {"NVML",
          fmt::format("GPU {} process {} {}", process.gpu, process.pid, process.name),
          {{"Memory Used", "bytes", process.memory},
           {"SM Utilization", "%", process.sm},
           {"Memory Utilization", "%", process.memory_busy},
           {"Encoder", "%", process.encoder},
           {"Decoder", "%", process.decoder}}};
}

std::string csv_lines(std::int64_t time, const DeviceValues& device) {
  std::string lines;
  for (const CounterValue& each : device.values)
    if (!std::isnan(each.value))
      lines += fmt::format("{:.6f},{},{},{},{},{}\n", seconds(time), quoted(device.domain),
                           quoted(device.device), quoted(each.name), each.unit,
                           std::round(each.value * 1e3) / 1e3);
  return lines;
}

Json or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

}  // namespace

std::string csv_heading() { return "time,domain,device,counter,unit,value\n"; }

std::string csv_lines(const GpuReadings& snapshot) {
  std::string lines;
  for (const DeviceValues& each : snapshot.devices) lines += csv_lines(snapshot.time, each);
  for (const ProcessValues& each : snapshot.processes)
    lines += csv_lines(snapshot.time, as_device(each));
  for (const CpuProcess& each : snapshot.cpu_processes)
    lines += csv_lines(snapshot.time, as_device(each));
  return lines;
}

std::string json_line(const GpuReadings& snapshot) {
  Json document = {{"time", seconds(snapshot.time)},
                   {"devices", Json::array()},
                   {"processes", Json::array()},
                   {"cpu_processes", Json::array()}};
  for (const DeviceValues& device : snapshot.devices) {
    Json counters = Json::object();
    for (const CounterValue& each : device.values)
      counters[each.name] = {{"value", or_null(each.value)}, {"unit", each.unit}};
    document["devices"].push_back(
        {{"domain", device.domain}, {"device", device.device}, {"counters", std::move(counters)}});
  }
  for (const ProcessValues& each : snapshot.processes)
    document["processes"].push_back({{"gpu", each.gpu},
                                     {"pid", each.pid},
                                     {"name", each.name},
                                     {"type", each.computes ? "compute" : "graphics"},
                                     {"memory_bytes", or_null(each.memory)},
                                     {"sm_percent", or_null(each.sm)},
                                     {"memory_percent", or_null(each.memory_busy)},
                                     {"encoder_percent", or_null(each.encoder)},
                                     {"decoder_percent", or_null(each.decoder)}});
  for (const CpuProcess& each : snapshot.cpu_processes)
    document["cpu_processes"].push_back({{"pid", each.pid},
                                         {"name", each.name},
                                         {"cpu_percent", each.cpu},
                                         {"memory_bytes", each.memory}});
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace prof::cli
