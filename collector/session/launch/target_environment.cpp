#include "collector/session/launch/target_environment.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "common/wire/handshake.hpp"
#include "common/wire/preload/program_file.hpp"

namespace prof::session {

namespace {

constexpr char kVulkanLayer[] = "VK_LAYER_PROF_trace";  // as in its manifest

std::vector<std::string> entries_of(const std::string& list) {
  std::vector<std::string> entries;
  std::string entry;
  for (const char c : list + ":") {
    if (c != ':' && c != ' ') {
      entry += c;
      continue;
    }
    if (!entry.empty()) entries.push_back(entry);
    entry.clear();
  }
  return entries;
}

// Returns the new LD_PRELOAD: sanitizer runtimes, then prof's libraries, then the others. Each
// library occurs once.
std::string preload_list(const Preload& preload, const std::string& existing) {
  std::vector<std::string> list = preload.first;
  const auto add = [&list](const std::string& entry) {
    if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
  };
  const std::vector<std::string> others = entries_of(existing);
  for (const std::string& entry : others)
    if (preload::wants_to_be_first(entry.data(), entry.size())) add(entry);
  add(preload.library);
  for (const std::string& entry : preload.after) add(entry);
  for (const std::string& entry : others) add(entry);
  std::string joined;
  for (const std::string& item : list) joined += (joined.empty() ? "" : ":") + item;
  return joined;
}

// Returns the list with an entry at its end, where the loader puts what is closest to the driver.
std::string with_entry(const std::string& list, const std::string& entry) {
  return list.empty() ? entry : list + ":" + entry;
}

}  // namespace

std::vector<std::string> target_environment(
    char* const* base, const std::vector<std::pair<std::string, std::string>>& additions,
    const std::string& session, const Preload& preload, const InjectionVariables& variables) {
  std::vector<std::string> order;
  std::map<std::string, std::string> values;
  const auto set = [&](const std::string& name, std::string value) {
    if (!values.contains(name)) order.push_back(name);
    values[name] = std::move(value);
  };
  for (; base != nullptr && *base != nullptr; ++base) {
    const char* equals = std::strchr(*base, '=');
    if (equals != nullptr) set(std::string(static_cast<const char*>(*base), equals), equals + 1);
  }
  for (const auto& [name, value] : additions) set(name, value);
  const auto existing = [&values](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
  set("LD_PRELOAD", preload_list(preload, existing("LD_PRELOAD")));
  set(wire::kSessionVariable, session);
  if (variables.nvtx) set("NVTX_INJECTION64_PATH", preload.library);
  if (variables.cuda) set("CUDA_INJECTION64_PATH", preload.library);
  if (!preload.vulkan_layer.empty()) {
    set("VK_ADD_LAYER_PATH", with_entry(existing("VK_ADD_LAYER_PATH"), preload.vulkan_layer));
    set("VK_INSTANCE_LAYERS", with_entry(existing("VK_INSTANCE_LAYERS"), kVulkanLayer));
  }
  std::vector<std::string> environment;
  environment.reserve(order.size());
  for (const std::string& name : order) environment.push_back(name + "=" + values[name]);
  return environment;
}

}  // namespace prof::session
