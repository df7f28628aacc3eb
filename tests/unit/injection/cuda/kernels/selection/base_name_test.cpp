#include "injection/cuda/kernels/selection/base_name.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace prof::cuda::kernels {
namespace {

std::string base(const std::string& mangled) {
  const TextRange part = base_name(mangled.c_str());
  return {part.begin, part.length};
}

TEST(BaseNameTest, IsTheNameOfTheFunctionAlone) {
  const std::pair<const char*, const char*> kNames[] = {
      {"plain_kernel", "plain_kernel"},
      {"_Z9transposeILi0EEvPKfPfi", "transpose"},
      {"_Z5saxpyfPfi", "saxpy"},
      {"_ZL4initPf", "init"},
      {"_ZN4demo6reduceIfEEvPT_i", "reduce"},
      {"_ZN12_GLOBAL__N_14copyEPf", "copy"},
      {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
       "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
       "vectorized_elementwise_kernel"},
      {"_ZN2ns1AIN2ns4KindEE3runEv", "run"},
      {"_ZN2ns1AILNS_4KindE1EE3runEv", "run"},
      {"_ZN1AILb1ELj3EE6kernelIJiS0_EEEvDpT_", "kernel"},
      {"_ZN7cutlass6KernelI4GemmIfLi128EEEEvNT_6ParamsE", "Kernel"},
      {"_ZN6kernelB5cxx11EPc", "kernel"},
      {"_Z3fooIXadL_Z3barvEEEvv", "foo"},
  };
  for (const auto& [mangled, name] : kNames) EXPECT_EQ(base(mangled), name) << mangled;
}

TEST(BaseNameTest, EndsForAnyText) {
  for (const char* text :
       {"", "_Z", "_ZN", "_ZNI", "_ZN999999999a", "_Z99999999999999999999x", "_ZNS", "_ZNL", "_ZN3",
        "_ZNILLLLL", "_ZN1aIJJJJJ", "_ZZ4mainE6kernel"}) {
    const TextRange part = base_name(text);
    EXPECT_GE(part.begin, text);
    EXPECT_LE(part.begin + part.length, text + std::string(text).size());
  }
}

}  // namespace
}  // namespace prof::cuda::kernels
