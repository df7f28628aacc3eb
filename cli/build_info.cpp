#include "cli/build_info.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sqlite3.h>
#include <string_view>

#include "cli/build_facts.hpp"
#include "cli/version.hpp"

namespace prof::cli {

namespace {

#if defined(__clang__)
constexpr char kCompiler[] = "Clang " __clang_version__;
#else
constexpr char kCompiler[] = "GCC " __VERSION__;
#endif

std::string features() {
  std::string names = "nvtx, osrt, syscall, cpu samples, python samples";
#ifdef PROF_HAS_GPU_METRICS
  names += ", cuda, cublas, cudnn, cusolver, cusparse, nccl, gpu metrics";
#endif
  return names;
}

}  // namespace

std::string build_info() {
  std::string text = fmt::format("prof {}\n", kVersion);
  const auto add = [&text](const char* name, std::string_view value) {
    text += fmt::format("{:<14}{}\n", std::string(name) + ":", value);
  };
  add("commit", kCommit);
  add("compiler", kCompiler);
  add("build type", kBuildType);
  add("CUDA headers", kCudaHeaders);
  add("glibc", fmt::format("{} or later; {} runs here", kOldestGlibc, gnu_get_libc_version()));
  add("SQLite", sqlite3_libversion());
  add("features", features());
  return text;
}

}  // namespace prof::cli
