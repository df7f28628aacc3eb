#include "exporters/viewer/timeline/columns/id_map.hpp"

#include <algorithm>

namespace prof::timeline {

namespace {

constexpr std::int64_t kMaxId = 0xffffffff;

}  // namespace

std::int64_t RowRange::size() const {
  std::int64_t size = 0;
  if (last < first) return 0;
  return __builtin_sub_overflow(last, first, &size) || size == INT64_MAX ? INT64_MAX : size + 1;
}

IdMap::IdMap(RowRange all, std::size_t parts) {
  if (all.first >= 0 && all.last <= kMaxId) return;
  std::int64_t size = 0;
  if (!__builtin_sub_overflow(all.last, all.first, &size) && size <= kMaxId)
    base_ = all.first;
  else
    listed_.resize(parts);
}

std::uint32_t IdMap::id(std::int64_t rowid, std::size_t part) {
  if (listed_.empty()) return static_cast<std::uint32_t>(rowid - base_);
  listed_[part].push_back(rowid);
  return static_cast<std::uint32_t>((listed_[part].size() - 1) * listed_.size() + part);
}

std::uint32_t IdMap::copy_of(std::int64_t rowid) {
  copies_.push_back(rowid);
  return static_cast<std::uint32_t>(kMaxId + 1 - static_cast<std::int64_t>(copies_.size()));
}

std::int64_t IdMap::rowid(std::uint32_t id) const {
  const auto copy = static_cast<std::size_t>(kMaxId - id);
  if (copy < copies_.size()) return copies_[copy];
  if (listed_.empty()) return base_ + id;
  const auto& list = listed_[id % listed_.size()];
  const std::size_t at = id / listed_.size();
  return at < list.size() ? list[at] : 0;
}

std::optional<std::uint32_t> IdMap::find(std::int64_t rowid) const {
  if (listed_.empty()) {
    const bool fits = rowid >= base_ && rowid - base_ <= kMaxId;
    return fits ? std::optional(static_cast<std::uint32_t>(rowid - base_)) : std::nullopt;
  }
  for (std::size_t part = 0; part < listed_.size(); ++part) {
    const auto& list = listed_[part];
    const auto at = std::find(list.begin(), list.end(), rowid);
    if (at != list.end())
      return static_cast<std::uint32_t>(
          static_cast<std::size_t>(at - list.begin()) * listed_.size() + part);
  }
  return std::nullopt;
}

}  // namespace prof::timeline
