#include "collector/metrics/nvml/gpu_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace prof::nvml {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 6 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

base::Result<GpuSelection> GpuSelection::parse(const std::string& words,
                                               const std::string& cuda_visible) {
  GpuSelection selection;
  if (words == "all") return selection;
  if (words.empty() || words == "cuda-visible") {
    // CUDA ignores the list from the first word on that it does not know, which is mostly "-1".
    for (const std::string& word : split(cuda_visible)) {
      if (!is_number(word) && !word.starts_with("GPU-")) break;
      selection.wanted_.push_back(word);
    }
    return selection;
  }
  for (const std::string& word : split(words)) {
    if (!is_number(word))
      return base::fail("GPUs are chosen by all, cuda-visible or their numbers, not '" + word +
                        "'");
    selection.wanted_.push_back(word);
  }
  return selection;
}

bool GpuSelection::takes(const Gpu& gpu) const {
  const std::string uuid =
      text_of([&](char* text, unsigned size) { return gpu.library->uuid(gpu.device, text, size); });
  return wanted_.empty() || std::ranges::any_of(wanted_, [&](const std::string& word) {
           return is_number(word) ? word == std::to_string(gpu.index) : uuid.starts_with(word);
         });
}

base::Result<std::vector<Gpu>> GpuSelection::find() const {
  const auto library = Library::open();
  if (!library) return tl::make_unexpected(library.error());
  std::vector<Gpu> gpus = gpus_of(*library);
  if (gpus.empty()) return base::fail("the driver has no GPU for this user");
  std::erase_if(gpus, [this](const Gpu& gpu) { return !takes(gpu); });
  if (gpus.empty()) return base::fail(fmt::format("there is no GPU {}", fmt::join(wanted_, ",")));
  return gpus;
}

}  // namespace prof::nvml
