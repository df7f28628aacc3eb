// The code of kernels in a report: source lines and inlined functions of instructions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/code/cubin/cubin.hpp"
#include "common/report/report_reader.hpp"

namespace prof::stalls {

inline constexpr const char* kCubinTable = "PROF_CUBINS";

// "kernel.cu:12"; empty without a line.
std::string place_text(const symbols::SourceFrame& frame);
// "in f at x.cu:3; in g at x.cu:9": the callers of an inlined function.
std::string callers_text(const std::vector<symbols::SourceFrame>& frames);

class KernelCode {
 public:
  explicit KernelCode(const report::ReportReader& reader) : reader_(&reader) {}

  // Returns the functions at an instruction, innermost first. If the report lacks the cubin, or the
  // cubin the function, the only frame has the function's name.
  std::vector<symbols::SourceFrame> frames(std::int64_t cubin, const std::string& function,
                                           std::uint64_t offset);
  // Returns the bytes of a cubin; empty if the report lacks them.
  std::span<const std::byte> bytes(std::int64_t cubin);
  // Returns the function, or null.
  const cubin::Function* find(std::int64_t cubin, const std::string& function);

 private:
  struct File {
    std::vector<std::byte> bytes;
    std::unique_ptr<cubin::Cubin> cubin;  // null if it cannot be read
  };
  File& file(std::int64_t cubin);

  const report::ReportReader* reader_;
  std::map<std::int64_t, File> files_;  // by CRC
};

}  // namespace prof::stalls
