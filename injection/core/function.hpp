// The functions that wrappers record, and whether the collector knows their names.
#pragma once

#include <cstdint>

namespace prof::core {

// Slots of ThreadState::counter_of: as many as there is room for. The first ones belong to one
// function each, those that programs call most. The other functions share the rest.
inline constexpr std::uint32_t kCounterSlots = 88;
inline constexpr std::uint32_t kOwnSlots = 48;

// A wrapped function as the wire knows it. Has 16 bytes, so that it is passed in registers.
struct Function {
  constexpr Function(std::uint32_t number, const char* text, std::uint32_t slot = 0)
      : id(number), own_slot(slot), name(text) {}

  std::uint32_t id;
  std::uint32_t own_slot;  // number of its own slot, from 1 on; 0: it shares one
  const char* name;
};
static_assert(sizeof(Function) == 16);

constexpr std::uint32_t slot_of(Function function) {
  return function.own_slot != 0 ? function.own_slot - 1
                                : kOwnSlots + function.id % (kCounterSlots - kOwnSlots);
}

// Does the collector know the function's name? If not, call send_name() before the first record.
bool is_named(std::uint32_t function);
void send_name(Function function);

}  // namespace prof::core
