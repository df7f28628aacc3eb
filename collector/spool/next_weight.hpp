// The number of events that the next record of a thread stands for (--max-overhead).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/wire/thinning_records.hpp"

namespace prof::spool {

class NextWeight {
 public:
  void set(const wire::WeightRecord& record) { record_ = record; }
  // True if no WeightRecord has come since the last take().
  bool is_unset() const { return record_.header.aux == 0; }
  // Returns the weight of a record of this type, which is the next record that can have a weight.
  std::uint32_t take(wire::RecordType type) {
    const wire::WeightRecord record = std::exchange(record_, {});
    const bool fits = record.header.flags == static_cast<std::uint8_t>(type);
    return fits ? std::max(record.header.aux, 1U) : 1;
  }

 private:
  wire::WeightRecord record_{};
};

}  // namespace prof::spool
