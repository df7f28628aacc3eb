// What UCX's interface has of structures: the prefixes that all versions since 1.9 share. Checked
// against its headers by tests/programs/ucx.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::ucx {

// Bits of RequestParam::mask. Bits from 16 on are flags without a field.
inline constexpr std::uint32_t kHasCallback = 1 << 1;
inline constexpr std::uint32_t kHasUserData = 1 << 2;
inline constexpr std::uint32_t kHasDatatype = 1 << 3;
inline constexpr std::uint32_t kHasMemory = 1 << 8;
// Later versions may have more fields.
inline constexpr std::uint32_t kKnownFields = 0xffff01ff;

// ucp_request_param_t
struct RequestParam {
  std::uint32_t mask;  // of the fields that are set
  std::uint32_t flags;
  void* request;
  void* callback;
  std::uint64_t datatype;
  void* user_data;
  void* reply_buffer;
  std::uint32_t memory_type;
  std::uint32_t padding;
  void* receive_info;
  void* memory;  // only there with kHasMemory
};
static_assert(offsetof(RequestParam, datatype) == 24 && offsetof(RequestParam, user_data) == 32 &&
              offsetof(RequestParam, memory) == 64);

// The class of a datatype is in its lowest bits. Above them a contiguous type has the size of an
// element.
inline constexpr std::uint64_t kClassBits = 7;
inline constexpr std::uint32_t kClassShift = 3;
inline constexpr std::uint64_t kContiguous = 0;
inline constexpr std::uint64_t kVector = 2;  // an array of Piece

struct Piece {
  void* buffer;
  std::size_t length;
};

// ucp_tag_recv_info_t
struct Received {
  std::uint64_t tag;
  std::size_t length;
};

inline constexpr std::uint64_t kHasRemoteAddress = 1;  // bit of EndpointParams::mask
struct EndpointParams {
  std::uint64_t mask;
  void* address;
};

inline constexpr std::uint64_t kWantsUid = 1;  // bit of AddressFacts::mask
struct AddressFacts {
  std::uint64_t mask;
  std::uint64_t uid;
};

// True if a function has returned a request that is not done. Errors are small negative numbers.
inline bool is_pending(long result) { return result != 0 && (result > 0 || result < -4096); }

using Status = std::int8_t;  // ucs_status_t: 0, or negative after an error
inline constexpr Status kUnsupported = -22;

}  // namespace prof::ucx
