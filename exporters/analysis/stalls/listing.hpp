// The machine instructions of a kernel, with their samples.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "exporters/analysis/stalls/kernel_code.hpp"
#include "exporters/analysis/stalls/kernels.hpp"
#include "exporters/analysis/stalls/samples.hpp"

namespace prof::stalls {

struct CodeLine {
  std::uint64_t offset;  // in the function
  std::string text;      // its bytes as two numbers if there is no disassembler; empty: unknown
};

// Returns all instructions of a function, and those at these offsets if its code is not known.
std::vector<CodeLine> code_lines(std::int64_t cubin, const std::string& function,
                                 std::set<std::uint64_t> offsets, KernelCode& sources,
                                 const std::string& nvdisasm);

struct ListedInstruction {
  CodeLine code;
  Sum sum;
};

// One form of a kernel's code. Compilers write the time of a source file into cubins, so several
// cubins can have the same code.
struct Listing {
  std::int64_t cubin;  // PROF_CUBINS.crc of one of these cubins
  std::vector<ListedInstruction> instructions;
};

// Returns all instructions of the kernel, also those without samples. Without the kernel's code
// they are those with samples.
std::vector<Listing> listings_of(const SampledKernel& kernel,
                                 const std::vector<Instruction>& instructions, KernelCode& sources,
                                 const std::string& nvdisasm);

}  // namespace prof::stalls
