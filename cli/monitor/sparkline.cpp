#include "cli/monitor/sparkline.hpp"

#include <algorithm>
#include <cmath>

namespace prof::cli {

namespace {

constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr const char* kLetters[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
constexpr std::size_t kSteps = std::size(kBlocks);

}  // namespace

std::string sparkline(const std::deque<double>& values, std::size_t width, double most,
                      bool unicode) {
  const std::size_t count = std::min(values.size(), width);
  const auto first = values.end() - static_cast<std::ptrdiff_t>(count);
  if (most <= 0)
    for (auto each = first; each != values.end(); ++each)
      if (*each > most) most = *each;
  std::string text(width - count, ' ');
  for (auto each = first; each != values.end(); ++each) {
    if (std::isnan(*each)) {
      text += ' ';
      continue;
    }
    const double share = most > 0 ? std::clamp(*each / most, 0.0, 1.0) : 0;
    const auto step = static_cast<std::size_t>(std::lround(share * (kSteps - 1)));
    text += unicode ? kBlocks[step] : kLetters[step];
  }
  return text;
}

}  // namespace prof::cli
