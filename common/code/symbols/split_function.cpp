#include "common/code/symbols/split_function.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "common/base/machine.hpp"

namespace prof::symbols {

namespace {

// Several jumps are needed, because not every byte that looks like a jump is one.
constexpr int kFewestJumps = 3;
constexpr std::uint64_t kMaxBytes = 1 << 20;

template <typename T>
T read_at(const Bytes& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

// Returns the starts of all functions and parts, sorted, from the table that linkers write in
// .eh_frame_hdr: 4-byte numbers relative to the section.
std::vector<std::uint64_t> begins_of_parts(const ElfImage& image) {
  constexpr std::size_t kHeader = 12;
  constexpr std::size_t kEntry = 8;
  constexpr std::byte kVersion{1}, kCountEncoding{0x03}, kTableEncoding{0x3b};
  std::vector<std::uint64_t> begins;
  const Section header = image.section(".eh_frame_hdr");
  if (header.bytes.size() < kHeader || header.bytes[0] != kVersion ||
      header.bytes[2] != kCountEncoding || header.bytes[3] != kTableEncoding)
    return begins;
  const std::size_t count = std::min<std::size_t>(read_at<std::uint32_t>(header.bytes, 8),
                                                  (header.bytes.size() - kHeader) / kEntry);
  begins.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto offset = read_at<std::int32_t>(header.bytes, kHeader + i * kEntry);
    begins.push_back(header.address + static_cast<std::uint64_t>(std::int64_t{offset}));
  }
  std::sort(begins.begin(), begins.end());
  return begins;
}

}  // namespace

std::optional<CodePart> other_part(const ElfImage& image, std::uint64_t address,
                                   std::uint64_t size) {
  constexpr std::size_t kLongest = 6;  // the size of a jump
  if (base::kElfMachine != EM_X86_64 || size > kMaxBytes) return {};
  const Section code = image.bytes_at(address, size);
  if (code.bytes.size() < size || size < kLongest) return {};
  const std::vector<std::uint64_t> begins = begins_of_parts(image);
  std::map<std::size_t, int> jumps;  // number of jumps into each part
  for (std::size_t at = 0; at + kLongest <= code.bytes.size(); ++at) {
    const auto first = std::to_integer<unsigned>(code.bytes[at]);
    const auto second = std::to_integer<unsigned>(code.bytes[at + 1]);
    const bool is_conditional = first == 0x0f && second >> 4 == 8;
    if (!is_conditional && first != 0xe9) continue;
    const std::size_t operand = at + (is_conditional ? 2 : 1);
    const auto distance = read_at<std::int32_t>(code.bytes, operand);
    const std::uint64_t target =
        address + operand + 4 + static_cast<std::uint64_t>(std::int64_t{distance});
    const auto next = std::upper_bound(begins.begin(), begins.end(), target);
    if (next == begins.begin() || next == begins.end() || next[-1] == target) continue;
    if (next[-1] < address || next[-1] >= address + size)
      ++jumps[static_cast<std::size_t>(next - begins.begin()) - 1];
  }
  const auto most = std::max_element(
      jumps.begin(), jumps.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == jumps.end() || most->second < kFewestJumps) return {};
  return CodePart{begins[most->first], begins[most->first + 1] - begins[most->first]};
}

}  // namespace prof::symbols
