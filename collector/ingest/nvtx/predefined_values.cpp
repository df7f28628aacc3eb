// Values of NVTX's predefined types.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "collector/ingest/nvtx/payload_decoder.hpp"

namespace prof::ingest {

namespace {

namespace payloads = nvtx_payloads;

#if defined(__x86_64__)
using Float128 = __float128;
#else
using Float128 = long double;
#endif

template <class T>
T load(const unsigned char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? NAN : sign * INFINITY;
  return sign *
         (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

PayloadValue signed_value(std::int64_t value) {
  PayloadValue result;
  result.kind = ValueKind::kSigned;
  result.bits = static_cast<std::uint64_t>(value);
  return result;
}
PayloadValue unsigned_value(std::uint64_t value) {
  PayloadValue result;
  result.kind = ValueKind::kUnsigned;
  result.bits = value;
  return result;
}
PayloadValue real_value(double value) {
  PayloadValue result;
  result.kind = ValueKind::kReal;
  result.real = value;
  return result;
}
// 128-bit integers that do not fit into 64 bits become texts.
PayloadValue wide_value(const unsigned char* at, bool with_sign) {
  auto value = load<unsigned __int128>(at);
  const bool negative = with_sign && static_cast<__int128>(value) < 0;
  if (negative) value = -value;
  if (value >> 63 == 0)
    return negative ? signed_value(-static_cast<std::int64_t>(value))
                    : unsigned_value(static_cast<std::uint64_t>(value));
  std::string digits;
  for (; value != 0; value /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  return PayloadValue::of_text((negative ? "-" : "") + digits);
}

void add_utf8(std::string& out, std::uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned kLead[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(kLead[more] | c >> (6 * more));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
}

bool is_text_of_one(std::uint64_t type) {
  return type == payloads::kChar || type == payloads::kWchar || type == payloads::kChar8 ||
         type == payloads::kChar16 || type == payloads::kChar32;
}

}  // namespace

std::string text_value(std::uint64_t type, const unsigned char* at, std::uint64_t units) {
  const std::uint64_t unit = is_text_of_one(type)
                                 ? payloads::size_of(type)
                                 : std::max<std::uint64_t>(payloads::text_unit(type), 1);
  units = payloads::count_until_zero(at, units * unit, unit);
  if (unit == 1) return std::string(reinterpret_cast<const char*>(at), units);
  std::string text;
  for (std::uint64_t i = 0; i < units; ++i) {
    std::uint32_t c = unit == 2 ? load<std::uint16_t>(at + 2 * i) : load<std::uint32_t>(at + 4 * i);
    const bool high = unit == 2 && c >= 0xd800 && c < 0xdc00;
    if (high && i + 1 < units) {
      const std::uint32_t low = load<std::uint16_t>(at + 2 * (i + 1));
      if (low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        ++i;
      }
    }
    add_utf8(text, c);
  }
  return text;
}

PayloadValue predefined_value(std::uint64_t type, const unsigned char* at) {
  if (is_text_of_one(type)) return PayloadValue::of_text(text_value(type, at, 1));
  switch (type) {
    case payloads::kFloat:
    case payloads::kFloat32:
    case payloads::kTf32:
      return real_value(double{load<float>(at)});
    case payloads::kDouble:
    case payloads::kFloat64:
      return real_value(load<double>(at));
    case payloads::kLongDouble:
      return real_value(static_cast<double>(load<long double>(at)));
    case payloads::kFloat128:
      return real_value(static_cast<double>(load<Float128>(at)));
    case payloads::kFloat16:
      return real_value(from_half(load<std::uint16_t>(at)));
    case payloads::kBfloat16:
      return real_value(double{std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(at)} << 16)});
    case payloads::kInt128:
      return wide_value(at, true);
    case payloads::kUint128:
      return wide_value(at, false);
    case payloads::kAddress:
      return PayloadValue::of_text(fmt::format("{:#x}", load<std::uint64_t>(at)));
    default:
      break;
  }
  const std::uint64_t size = payloads::size_of(type);
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, std::min<std::uint64_t>(size, sizeof bits));
  if (!payloads::is_signed(type) || size == 0) return unsigned_value(bits);
  const auto unused = 64 - 8 * static_cast<unsigned>(size);
  return signed_value(static_cast<std::int64_t>(bits << unused) >> unused);
}

}  // namespace prof::ingest
