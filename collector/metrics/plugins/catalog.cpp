#include "collector/metrics/plugins/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "common/base/text/suggestion.hpp"

namespace prof::metrics {

namespace {

enum class Takes { kNumber, kInteger, kText, kSwitch, kMode };

struct Argument {
  char letter;       // 0: none
  const char* name;  // name without dashes
  Takes takes;
  const char* help;
  const char* stands_for = nullptr;  // the argument for which nsys also has this name
};

struct Plugin {
  const char* name;
  const char* help;
  std::vector<Argument> arguments;
};

constexpr Argument kMilliseconds = {'i', "interval", Takes::kNumber,
                                    "time between two samples, ms (100)"};
constexpr Argument kMode = {0, "mode", Takes::kMode,
                            "how sums are recorded: throughput (the default), delta or total"};

const std::vector<Plugin>& plugins() {
  static const std::vector<Plugin> list = {
      {"nvml_metrics",
       "power, temperature, energy, clocks, utilization, memory, PCIe and NVLink bytes, "
       "throttling, "
       "ECC errors of GPUs, and their processes",
       {kMilliseconds,
        {'g', "gpu-devices", Takes::kText,
         "all, cuda-visible (the default) or numbers of GPUs, separated by \\,"},
        {0, "meter-interval", Takes::kNumber,
         "the same for energy, PCIe and NVLink, ms (1000); a sample of these takes 7 ms of CPU"},
        kMode}},
      {"network_interface",
       "bytes, packets, drops and errors of network interfaces and InfiniBand ports",
       {{'i', "interval", Takes::kNumber, "time between two samples, us (100000)"},
        {'d', "device", Takes::kText,
         "regular expression of names, or all (physical interfaces without it)"},
        {'m', "metric", Takes::kText, "regular expression of counters of an interface"},
        {0, "devices", Takes::kText, "the same as --device", "device"},
        {0, "metrics", Takes::kText, "the same as --metric", "metric"},
        kMode}},
      {"storage_metrics",
       "bytes, requests and busy time of disks, NFS and Lustre mounts, pressure of I/O",
       {kMilliseconds,
        {'d', "device", Takes::kText, "regular expression of disks, or all (the default)"},
        {0, "storage-devices", Takes::kText, "the same as --device", "device"},
        {0, "cache-samples", Takes::kNumber, "accepted for compatibility with nsys; no effect"},
        {0, "nfs-volumes", Takes::kText, "regular expression of NFS mounts, or all (the default)"},
        {0, "lustre-volumes", Takes::kText,
         "regular expression of Lustre mounts, or all (the default)"},
        {0, "lustre-llite-dir", Takes::kText, "folder of Lustre's statistics"},
        kMode}},
      {"efa_metrics",
       "counters of AWS Elastic Fabric Adapters",
       {{0, "freq", Takes::kInteger, "samples per second (10); -N: one in N seconds"},
        {0, "efa-counters-sysfs", Takes::kText, "folder of the adapters (/sys/class/infiniband)"},
        {0, "efa-sysfs", Takes::kText, "the same"},
        {0, "efa-work-requests", Takes::kSwitch, "work requests, too"},
        {0, "efa-non-rdma", Takes::kSwitch, "bytes that are not RDMA's, too"},
        {0, "packets", Takes::kSwitch, "packets, too"},
        {0, "errors", Takes::kSwitch, "errors, too"},
        kMode}},
      {"cpu_metrics",
       "use and frequency of the CPUs, context switches, pressure of the CPUs",
       {kMilliseconds, kMode}},
      {"memory_metrics",
       "memory in use, page faults, swapping, pressure of memory",
       {kMilliseconds, kMode}}};
  return list;
}

// Splits the text at commas that have no backslash.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      words.back() += text[++i];
    else if (text[i] == ',')
      words.emplace_back();
    else
      words.back() += text[i];
  }
  return words;
}

bool is_integer(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value != 0;
}

std::string obstacle(const Argument& argument, const std::string& value) {
  switch (argument.takes) {
    case Takes::kNumber:
      return is_integer(value) && value[0] != '-' ? "" : "a number above 0";
    case Takes::kInteger:
      return is_integer(value) ? "" : "a number other than 0";
    case Takes::kText:
      return value.empty() ? "a value" : "";
    case Takes::kSwitch:
      return value == "true" || value == "false" ? "" : "true or false";
    case Takes::kMode:
      return value == "throughput" || value == "delta" || value == "total"
                 ? ""
                 : "throughput, delta or total";
  }
  return "";
}

std::string known_arguments(const Plugin& plugin) {
  std::string text;
  for (const Argument& each : plugin.arguments)
    text += fmt::format("{}--{}", text.empty() ? "" : ", ", each.name);
  return text;
}

// Returns the argument and its value from "-i10", "--interval=10" or "-packets".
std::pair<const Argument*, std::string> find_argument(const Plugin& plugin,
                                                      const std::string& word) {
  const std::string bare = word.substr(word.find_first_not_of('-'));
  const std::size_t equals = bare.find('=');
  const std::string name = bare.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : bare.substr(equals + 1);
  for (const Argument& each : plugin.arguments)
    if (name == each.name)
      return {&each, each.takes == Takes::kSwitch && value.empty() ? "true" : value};
  for (const Argument& each : plugin.arguments)
    if (!word.starts_with("--") && each.letter != 0 && bare[0] == each.letter) {
      const std::size_t start = bare.size() > 1 && bare[1] == '=' ? 2 : 1;
      return {&each, bare.substr(start)};
    }
  return {nullptr, name};
}

base::Status take_argument(const Plugin& plugin, const std::string& word, PluginRequest& request) {
  if (word.find_first_not_of('-') == std::string::npos)
    return base::fail(fmt::format("{} has no argument {}", plugin.name, word));
  const auto [argument, value] = find_argument(plugin, word);
  if (argument == nullptr) {
    std::vector<std::string> names;
    for (const Argument& each : plugin.arguments) names.emplace_back(each.name);
    return base::fail(fmt::format("{} has no argument {}{} (known: {})", plugin.name, word,
                                  base::suggestion(value, names), known_arguments(plugin)));
  }
  if (const std::string expected = obstacle(*argument, value); !expected.empty())
    return base::fail(
        fmt::format("{}: --{} needs {}, not '{}'", plugin.name, argument->name, expected, value));
  const bool is_other_name = argument->stands_for != nullptr;
  request.arguments[is_other_name ? argument->stands_for : argument->name] = value;
  return {};
}

const Plugin* find_plugin(const std::string& name) {
  for (const Plugin& each : plugins())
    if (name == each.name) return &each;
  return nullptr;
}

}  // namespace

std::vector<std::string> plugin_names() {
  std::vector<std::string> names;
  for (const Plugin& each : plugins()) names.emplace_back(each.name);
  return names;
}

std::string plugin_help() {
  std::string text = "Counters that --enable records, with their arguments:\n";
  for (const Plugin& plugin : plugins()) {
    text += fmt::format("\n{}\n  {}\n", plugin.name, plugin.help);
    for (const Argument& each : plugin.arguments) {
      const std::string letter = each.letter == 0 ? "" : fmt::format("-{}, ", each.letter);
      text += fmt::format("    {:<4}--{:<20} {}\n", letter, each.name, each.help);
    }
  }
  return text + "\nExample: --enable=nvml_metrics,-i20 --enable=network_interface,cpu_metrics\n";
}

base::Result<std::vector<PluginRequest>> parse_plugins(const std::string& text) {
  std::vector<PluginRequest> requests;
  const Plugin* plugin = nullptr;
  for (const std::string& word : words_of(text)) {
    if (word.starts_with('-') && plugin != nullptr) {
      if (const base::Status taken = take_argument(*plugin, word, requests.back()); !taken)
        return tl::make_unexpected(taken.error());
      continue;
    }
    plugin = find_plugin(word);
    if (plugin == nullptr)
      return base::fail(fmt::format("unknown counters '{}'{} (known: {}; see --enable=help)", word,
                                    base::suggestion(word, plugin_names()),
                                    fmt::join(plugin_names(), ", ")));
    requests.push_back({word, {}});
  }
  return requests;
}

bool asks_for_plugin_help(const std::string& text) {
  return std::ranges::any_of(words_of(text), [](const std::string& word) {
    return word == "help" || word == "-h" || word == "--help";
  });
}

}  // namespace prof::metrics
