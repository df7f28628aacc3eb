#include "exporters/stats/arguments.hpp"

#include <string>

namespace prof::stats {

namespace {

constexpr const char* kAllowed = " (allowed: base or mangled, nvtx-name)";

}  // namespace

base::Result<Arguments> parse_arguments(std::string_view words, bool names_kernels) {
  Arguments result;
  while (!words.empty()) {
    const std::string word(words.substr(0, words.find(':')));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (!names_kernels) return base::fail("argument " + word + ": this report takes none");
    const bool chosen = result.kernel_name != KernelName::kDemangled;
    if (word == "nvtx-name") {
      result.nvtx_name = true;
    } else if (word != "base" && word != "mangled") {
      return base::fail("unknown argument " + word + kAllowed);
    } else if (chosen) {
      return base::fail("one argument too many: " + word + kAllowed);
    } else {
      result.kernel_name = word == "base" ? KernelName::kBase : KernelName::kMangled;
    }
  }
  return result;
}

}  // namespace prof::stats
