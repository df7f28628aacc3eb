// The target determines the names of kernels. The input selects pieces of mangled names, so that
// random bytes also pass the first letters. An input that starts with 0 is used as it is.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "common/code/demangle/demangle.hpp"
#include "common/code/demangle/demangle_function.hpp"

namespace {

constexpr const char* kPieces[] = {"1a",         "3foo", "12_GLOBAL__N_1",
                                   "9_INTERNAL", "N",    "E",
                                   "E",          "E",    "I",
                                   "J",          "X",    "L",
                                   "S_",         "S0_",  "S1_",
                                   "SA_",        "St",   "Sa",
                                   "Ss",         "T_",   "T0_",
                                   "P",          "R",    "O",
                                   "K",          "V",    "F",
                                   "A4_",        "A_",   "M",
                                   "Dp",         "DT",   "Dt",
                                   "Dn",         "Dv4_", "Do",
                                   "C1",         "D2",   "cv",
                                   "cl",         "pl",   "ix",
                                   "Z",          "s",    "_0",
                                   "Ul",         "Ut_",  "_",
                                   "v",          "i",    "f",
                                   "m",          "Li4E", "Lb1E",
                                   "L_Z",        "n1",   "sr",
                                   "on",         "dt",   "tl",
                                   "fp_",        "fL",   "B1x",
                                   "U1q",        "TV",   "Th8_",
                                   "GV",         "nw",   "pi",
                                   "qu",         "st",   "sZ"};

std::string name_of(const std::uint8_t* data, std::size_t size) {
  std::string name = "_Z";
  if (size > 0 && data[0] == 0) return name.append(data + 1, data + size);
  for (std::size_t i = 0; i < size; ++i) name += kPieces[data[i] % std::size(kPieces)];
  return name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string mangled = name_of(data, size);
  const auto name = prof::demangle::demangle_kernel(mangled);
  const std::size_t limit = mangled.size() + (std::size_t{1} << 20);
  if (name.demangled.size() > limit || name.brief.size() > limit) __builtin_trap();
  if (prof::demangle::demangle_function(mangled).size() > limit) __builtin_trap();
  return 0;
}
