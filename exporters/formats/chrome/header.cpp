#include "exporters/formats/chrome/header.hpp"

#include <nlohmann/json.hpp>

#include "exporters/analysis/events/rows.hpp"

namespace prof::formats {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kGpuTable = "TARGET_INFO_GPU";

// Columns of TARGET_INFO_GPU, and their names in PyTorch's traces.
constexpr std::pair<const char*, const char*> kProperties[] = {
    {"totalMemory", "totalGlobalMem"},
    {"computeMajor", "computeMajor"},
    {"computeMinor", "computeMinor"},
    {"maxThreadsPerBlock", "maxThreadsPerBlock"},
    {"maxRegistersPerBlock", "regsPerBlock"},
    {"maxRegistersPerSm", "regsPerMultiprocessor"},
    {"threadsPerWarp", "warpSize"},
    {"maxShmemPerBlock", "sharedMemPerBlock"},
    {"maxShmemPerBlockOptin", "sharedMemPerBlockOptin"},
    {"maxShmemPerSm", "sharedMemPerMultiprocessor"},
    {"smCount", "numSms"},
};

Json device(const report::ReportReader& reader, const report::Statement& row) {
  constexpr int kFirst = 4;  // first property after id, name, maxWarpsPerSm and threadsPerWarp
  Json properties{{"id", row.integer(0)}, {"name", std::string(row.text(1))}};
  int column = kFirst;
  for (const auto& [name, member] : kProperties) {
    if (!reader.has_column(kGpuTable, name)) continue;
    properties[member] = row.integer(column++);
  }
  properties["maxThreadsPerMultiprocessor"] = row.integer(2) * row.integer(3);
  return properties;
}

std::string column_or_zero(const report::ReportReader& reader, const char* column) {
  return reader.has_column(kGpuTable, column) ? column : "0";
}

base::Result<Json> devices(const report::ReportReader& reader) {
  Json all = Json::array();
  if (!reader.has_column(kGpuTable, "name")) return all;
  std::string columns = "id, name, " + column_or_zero(reader, "maxWarpsPerSm") + ", " +
                        column_or_zero(reader, "threadsPerWarp");
  for (const auto& [name, member] : kProperties)
    if (reader.has_column(kGpuTable, name)) columns += std::string(", ") + name;
  const base::Status read = events::for_each_row(
      reader, fmt::format("SELECT {} FROM {} ORDER BY id", columns, kGpuTable),
      [&](const report::Statement& row) { all.push_back(device(reader, row)); });
  if (!read) return tl::make_unexpected(read.error());
  return all;
}

}  // namespace

base::Result<std::string> chrome_header(const report::ReportReader& reader,
                                        const ChromeTrace& trace) {
  const auto gpus = devices(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  Json header{{"schemaVersion", 1}, {"deviceProperties", *gpus}};
  header["distributedInfo"] = {
      {"backend", "nccl"}, {"rank", trace.rank}, {"world_size", trace.world_size}};
  header["displayTimeUnit"] = "ms";
  // The times of all events count from this time.
  header["baseTimeNanoseconds"] = std::max<std::int64_t>(trace.utc_start, 0);
  header["traceName"] = reader.path();
  header["record_shapes"] = 0;
  header["profile_memory"] = 0;
  // HTA finds the rank only if a space is before it.
  std::string text = header.dump(1, ' ', false, Json::error_handler_t::replace);
  text.resize(text.rfind('\n'));
  return text += ',';
}

}  // namespace prof::formats
