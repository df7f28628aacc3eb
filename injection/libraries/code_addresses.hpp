// Tells the collector where code is that calls a traced library.
#pragma once

#include <cstdint>

namespace prof::libraries {

// Sends a CodeAddressRecord for the address if this wire::Library has not sent one, and is recorded
// now. At most 1024 addresses are told apart, and those that find no place have no record.
void announce_code(std::uint32_t library, std::uint64_t code);

}  // namespace prof::libraries
