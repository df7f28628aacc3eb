// Records with selected fields, as CUPTI makes them for a subscriber with attribute 11. The fake
// knows the fields of kernels, copies and fills.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "injection/cuda/cupti_v2.hpp"

namespace fake {

class Selections {
 public:
  // Returns false if the fake does not know the kind or a field, or the first one is not the kind.
  bool add(int kind, const prof::cuda::v2::Selection& selection);
  // The size of the kind's records.
  std::size_t record_size(int kind) const { return kinds_.at(kind).places.bytes; }
  // Writes the selected fields of a record of CUPTI's struct.
  void write(int kind, const std::uint8_t* record, std::uint8_t* to) const;
  prof::cuda::v2::BufferInfo info();

 private:
  struct Kind {
    prof::cuda::v2::RecordPlaces places{};
    std::vector<prof::cuda::v2::FieldPlace> fields;
    std::vector<std::size_t> sources;  // offsets in CUPTI's struct
    std::vector<std::size_t> sizes;    // in CUPTI's struct
  };
  static constexpr std::size_t kKinds = 60;
  std::map<int, Kind> kinds_;
  prof::cuda::v2::RecordPlaces* places_[kKinds] = {};
};

}  // namespace fake
