// What calls are for, as far as the findings about waiting tell them apart. wait_of() in
// activity.hpp says what a blocked thread waits for.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::analyze {

enum class CallPurpose : std::uint8_t {
  kTransfer,  // reads or writes a file, a pipe or a socket
  kBuffered,  // the same through a buffer of the C library
  kFlush,     // waits until data is on the disk
  kPoll,      // waits for one of several descriptors
  kSleep,     // waits for time to pass
  kYield,     // lets other threads run
  kAccept,    // waits for a client
  kMap,       // changes the memory maps
  kQuick,     // asks or tells the kernel something, and does not wait for anybody
  kOther
};

constexpr bool is_transfer(CallPurpose purpose) {
  return purpose == CallPurpose::kTransfer || purpose == CallPurpose::kBuffered;
}

// Understands names with the additions of libc: "__read_chk" and "pread64".
CallPurpose purpose_of(std::string_view function);

}  // namespace prof::analyze
