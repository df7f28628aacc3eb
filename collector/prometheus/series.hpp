// The time series of one metric: a value for each key, with a maximum number of keys.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

namespace prof::prometheus {

// The maximum number of names. A program may have any number of them, and Prometheus keeps each for
// weeks.
inline constexpr std::size_t kMaxSeries = 200;

template <class Key, class Value, class Hash = std::hash<Key>>
class Series {
 public:
  // Returns the value of the key. Keys that come after kMaxSeries others share one value.
  Value& operator[](const Key& key) {
    if (const auto found = values_.find(key); found != values_.end()) return found->second;
    if (values_.size() < kMaxSeries) return values_[key];
    if (!others_) others_ = Value{};
    return *others_;
  }

  // Calls `visit(const Key*, const Value&)` for each key. The pointer is null for the shared value.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, value] : values_) visit(&key, value);
    if (others_) visit(static_cast<const Key*>(nullptr), *others_);
  }

 private:
  std::unordered_map<Key, Value, Hash> values_;
  std::optional<Value> others_;
};

}  // namespace prof::prometheus
