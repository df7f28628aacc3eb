#include "collector/ingest/cuda/kernel_passes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace prof::ingest {

std::vector<std::vector<std::size_t>> join_passes(std::span<const PassOfLaunch> launches) {
  std::vector<std::vector<std::size_t>> profiles;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;  // serial, rotation
  const auto pass_of = [&](std::size_t index) { return launches[index].record->pass; };
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const std::uint32_t rotation = launches[i].record->rotation;
    if (rotation == 0) {
      profiles.push_back({i});
      continue;
    }
    const auto [place, is_new] =
        places.try_emplace({launches[i].serial, rotation}, profiles.size());
    if (is_new) profiles.emplace_back();
    std::vector<std::size_t>& profile = profiles[place->second];
    std::erase_if(profile, [&](std::size_t other) { return pass_of(other) == pass_of(i); });
    profile.insert(std::ranges::upper_bound(profile, pass_of(i), {}, pass_of), i);
  }
  return profiles;
}

}  // namespace prof::ingest
