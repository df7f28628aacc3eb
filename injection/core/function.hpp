// The functions that wrappers record, and whether the collector knows their names.
#pragma once

#include <cstdint>

namespace prof::core {

// The number of slots in ThreadState::counter_of: as many as fit. The first slots belong to one
// function each, to those that programs call most. The other functions share the remaining slots.
inline constexpr std::uint32_t kCounterSlots = 88;
inline constexpr std::uint32_t kOwnSlots = 48;

// A wrapped function with its id on the wire. It has 16 bytes, so that it is passed in registers.
struct Function {
  constexpr Function(std::uint32_t number, const char* text, std::uint32_t slot = 0)
      : id(number), own_slot(slot), name(text) {}

  std::uint32_t id;
  std::uint32_t own_slot;  // number of the slot that only it uses, from 1 on; 0: it shares one
  const char* name;
};
static_assert(sizeof(Function) == 16);

constexpr std::uint32_t slot_of(Function function) {
  return function.own_slot != 0 ? function.own_slot - 1
                                : kOwnSlots + function.id % (kCounterSlots - kOwnSlots);
}

// True if the collector knows the function's name. If not, call send_name() before the first
// record.
bool is_named(std::uint32_t function);
void send_name(Function function);

}  // namespace prof::core
