#include "common/code/demangle/demangle.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace prof::demangle {
namespace {

// The first 123 lines have kernel names of nsys reports. In the others the long name is what
// `nvlink --dump-callgraph` (CUDA 13.0) prints: one line for each construct, then kernels of CUDA
// libraries, CuPy and ONNX Runtime.
TEST(Demangle, PrintsNamesAsNvidiaDoes) {
  std::ifstream file(KERNEL_NAMES);
  int count = 0;
  for (std::string mangled, demangled, brief; std::getline(file, mangled, '\t'); ++count) {
    std::getline(file, demangled, '\t');
    std::getline(file, brief);
    const auto name = demangle_kernel(mangled);
    EXPECT_EQ(name.demangled, demangled) << mangled;
    EXPECT_EQ(name.brief, brief) << mangled;
  }
  EXPECT_GT(count, 900);
}

void expect_unchanged(const std::string& name) {
  EXPECT_EQ(demangle_kernel(name).demangled, name);
  EXPECT_EQ(demangle_kernel(name).brief, name);
}

TEST(Demangle, LeavesOtherNamesAlone) {
  for (const char* name : {"", "_", "_Z", "saxpy", "triton_poi_fused_add_0", "cupy_fill", "__Z1fv"})
    expect_unchanged(name);
}

TEST(Demangle, LeavesBrokenNamesAlone) {
  for (const char* name : {"_Z9saxpy", "_Z1fvE", "_Z1fS0_", "_ZNE", "_ZN1aS_E", "_Z1fIi",
                           "_Z99999999999f", "_Z1fILi", "_ZC1v", "_Z1fDT1xv", "_Z1fXi", "_ZZ1fE",
                           "_Z1fT99999999999_", "_ZTV", "_ZTh_1f", "_ZGR1x", "_ZNSaMEv"})
    expect_unchanged(name);
}

TEST(Demangle, ShowsWhatNvidiaDoesNotDemangle) {
  EXPECT_EQ(demangle_kernel("_ZL5saxpyPf").demangled, "saxpy(float *)");
  EXPECT_EQ(demangle_kernel("_Z1fv.constprop.0").demangled, "f() [clone .constprop.0]");
  EXPECT_EQ(demangle_kernel("_Z1gIZ1fvEUlTyT_E_EvS1_").brief, "g");
  EXPECT_EQ(demangle_kernel("_ZTCN1AE0_1B").demangled,
            "Construction virtual function table for B-in-A");
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(Demangle, GivesUpOnDeepNames) {
  for (const char* piece : {"P", "1aI", "N1aI", "PFv", "A1_", "K", "XcvT_", "ZN1a", "Dp", "IJ",
                            "Dt", "U1a", "M1a", "Ul", "Z1fE"}) {
    const auto name = "_Z1f" + repeated(piece, 100'000);
    EXPECT_EQ(demangle_kernel(name).demangled, name);
  }
  expect_unchanged("_Z" + repeated("N", 100'000));
  expect_unchanged("_Z" + repeated("Z", 100'000));
  expect_unchanged("_Z1fIX" + repeated("pl", 100'000));
}

// S1_ is a<S0_, S0_>, and so on. Each doubles the text.
TEST(Demangle, GivesUpOnLongText) {
  std::string name = "_Z1f1aI1bE";
  const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int i = 1; i < 35; ++i) {
    const std::string last = std::string("S") + digits[i] + "_";
    name += "S_I" + last + last + "E";
  }
  expect_unchanged(name);
}

// The arguments after each T_ could belong to the type or to the operator. A parser that tries both
// takes 2^60 steps.
TEST(Demangle, ParsesConversionsOnce) {
  const auto name = "_ZN1acv" + repeated("T_I", 60) + "i" + repeated("E", 60) + "Ev";
  EXPECT_EQ(demangle_kernel(name).demangled,
            "a::operator " + repeated("T1<", 60) + "int" + repeated(">", 60) + "()");
}

// Long names within the allowed depth. If time grew faster than the length, ctest's limit would be
// exceeded.
TEST(Demangle, LongNames) {
  EXPECT_EQ(demangle_kernel("_Z1f" + repeated("PKf", 40'000)).brief, "f");
  expect_unchanged("_Z1f" + repeated("1aS_", 200'000));
  expect_unchanged("_Z1fv" + repeated("9", 1'000'000));
}

}  // namespace
}  // namespace prof::demangle
