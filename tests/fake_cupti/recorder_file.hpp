// The file that the recorder writes (see recorder.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace_format.hpp"

namespace fake {

// Opens the file and reads how many callbacks, and records, are kept. False if it cannot be
// written.
bool open_file();
// Whether this process has it open; a fork child has not.
bool is_file_open();
// Returns how many callbacks and records were left out.
std::size_t close_file();

// Held while something is put into the file. Code that holds it never calls CUPTI.
class Lock {
 public:
  Lock();
  ~Lock();
  Lock(const Lock&) = delete;
};

void put(const void* bytes, std::size_t size);
void put_zeros(std::uint32_t bytes);  // up to the next item

template <class Item>
void put_item(ItemType type, const Item& item, const void* bytes = nullptr, std::size_t size = 0,
              const char* text = nullptr, std::size_t length = 0) {
  const auto total = static_cast<std::uint32_t>(sizeof item + size + length);
  const ItemHeader header{type, 0, total};
  put(&header, sizeof header);
  put(&item, sizeof item);
  if (size != 0) put(bytes, size);
  if (length != 0) put(text, length);
  put_zeros(total);
}

// Whether one more item is kept of a kind with `count` items.
bool has_room(std::size_t count);
// Counts one more item of a kind. False if no more are kept.
bool keep(std::size_t& count);

}  // namespace fake
