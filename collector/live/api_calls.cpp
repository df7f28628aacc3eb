#include "collector/live/api_calls.hpp"

#include <array>
#include <cctype>
#include <string_view>

namespace prof::live {

namespace {

// The prefix is followed by a capital letter: cudaLaunchKernel, but not cudaq.
constexpr std::array<std::string_view, 11> kBegins = {"cuda",     "cu",       "cublas", "cudnn",
                                                      "cusolver", "cusparse", "cufft",  "curand",
                                                      "nccl",     "nvshmem_", "MPI_"};

bool is_api(std::string_view name) {
  for (const std::string_view begin : kBegins) {
    if (!name.starts_with(begin) || name.size() <= begin.size()) continue;
    const auto next = static_cast<unsigned char>(name[begin.size()]);
    if (std::isupper(next) != 0 || (begin.ends_with('_') && std::isalpha(next) != 0)) return true;
  }
  return false;
}

// Returns the name without a prefix ("pncclAllReduce", "PMPI_Recv": a profiler's wrapper calls the
// function under this name) and without a version ("cuMemcpy_v2_ptsz").
std::string_view plain(std::string_view name) {
  name = name.substr(0, name.find('('));
  name = name.substr(0, name.find('@'));
  if (name.starts_with("pnccl") || name.starts_with("PMPI_")) name.remove_prefix(1);
  for (const std::string_view end : {"_ptsz", "_ptds", "_v2", "_v3"})
    if (name.ends_with(end)) name.remove_suffix(end.size());
  return name;
}

}  // namespace

std::string find_api_call(const std::vector<Frame>& frames) {
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    if (!frame->is_python && frame->has_name && is_api(plain(frame->function)))
      return std::string(plain(frame->function));
  return "";
}

}  // namespace prof::live
