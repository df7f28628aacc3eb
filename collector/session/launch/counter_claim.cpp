#include "collector/session/launch/counter_claim.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "collector/metrics/nvml/gpu_selection.hpp"
#include "common/wire/handshake.hpp"

namespace prof::session {

namespace {

constexpr std::string_view kSamples = "pc-sampling";
constexpr std::string_view kKernels = "kernel";
constexpr std::string_view kPrefix = "prof-counters/";

// Returns what the recording does with the counters; empty: nothing.
std::string_view use_of(const SessionOptions& options) {
  if (options.cuda.pc_sampling != 0) return kSamples;
  return (options.cuda.flags & wire::kCudaKernelProfiles) != 0 ? kKernels : std::string_view();
}

std::string visible_gpus(const SessionOptions& options) {
  constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  for (const auto& [name, value] : options.environment)
    if (name == kName) return value;
  const char* value = options.inherit_environment ? std::getenv(kName) : nullptr;
  return value == nullptr ? "" : value;
}

// Returns the GPUs by their places on the bus, which are the same for all processes. Empty without
// NVML.
std::vector<std::string> gpus_of(const SessionOptions& options) {
  std::vector<std::string> places;
  const auto selection = nvml::GpuSelection::parse("", visible_gpus(options));
  if (const auto gpus = selection ? selection->find() : tl::make_unexpected(selection.error()))
    for (const nvml::Gpu& gpu : *gpus) {
      std::string place = nvml::location_of(*gpu.library, gpu.device);
      if (!place.empty()) places.push_back(std::move(place));
    }
  return places;
}

// Binds a socket to a name that is in no file system. Invalid on failure.
base::UniqueFd bind_to(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() + 1 > sizeof address.sun_path) return {};
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  base::UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket || bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return {};
  return socket;
}

struct Claim {
  std::string pid;
  std::string gpu;
};

// Parses "prof-counters/USE/PID/GPU".
std::optional<Claim> parse(std::string_view name, std::string_view use) {
  const std::string begin = fmt::format("{}{}/", kPrefix, use);
  if (!name.starts_with(begin)) return {};
  name.remove_prefix(begin.size());
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {};
  return Claim{std::string(name.substr(0, slash)), std::string(name.substr(slash + 1))};
}

// Returns the claim of another process for that use of one of the GPUs.
std::optional<Claim> find_claim(std::string_view use, const std::vector<std::string>& gpus) {
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    const std::size_t at = line.rfind('@');  // in place of the first byte, which is 0
    if (at == std::string::npos) continue;
    const auto claim = parse(std::string_view(line).substr(at + 1), use);
    if (claim && std::ranges::count(gpus, claim->gpu) != 0) return claim;
  }
  return {};
}

std::string describe(const Claim& claim, std::string_view use) {
  return fmt::format(
      "{} (process {}) uses the counters of GPU {}. A program with --pc-sampling can crash while "
      "prof kernel counts on its GPU: run one after the other, or on other GPUs "
      "(CUDA_VISIBLE_DEVICES).",
      use == kKernels ? "prof kernel" : "a recording with --pc-sampling", claim.pid, claim.gpu);
}

}  // namespace

base::Result<CounterClaim> CounterClaim::make(const SessionOptions& options) {
  CounterClaim claim;
  const std::string_view use = use_of(options);
  if (use.empty()) return claim;
  const std::vector<std::string> gpus = gpus_of(options);
  // The own claim comes first: of two processes that look at the same time, at least one sees the
  // other.
  for (const std::string& gpu : gpus)
    claim.sockets_.push_back(bind_to(fmt::format("{}{}/{}/{}", kPrefix, use, getpid(), gpu)));
  const std::string_view other = use == kSamples ? kKernels : kSamples;
  if (const auto found = find_claim(other, gpus)) return base::fail(describe(*found, other));
  return claim;
}

}  // namespace prof::session
