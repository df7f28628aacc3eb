// Texts of machine instructions, by NVIDIA's nvdisasm if this machine has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "common/code/cubin/cubin.hpp"

namespace prof::stalls {

// Instructions by offset in a function.
using InstructionTexts = std::map<std::uint64_t, std::string>;

// Returns the path of nvdisasm: TRITON_NVDISASM_PATH, else of PATH, of the CUDA toolkit, or of the
// packages nvidia-cuda-nvdisasm and triton in the Python environment that is active or in PATH.
// Empty if there is none.
std::string find_nvdisasm();

// Runs nvdisasm for one function. Empty if it fails or takes longer than a minute.
InstructionTexts disassemble(const std::string& nvdisasm, std::span<const std::byte> cubin,
                             const cubin::Function& function);

// Reads what nvdisasm prints for one function.
InstructionTexts parse_instructions(std::string_view output);

// Returns an instruction as two numbers of 64 bits.
std::string raw_instruction(std::span<const std::byte> code, std::uint64_t offset);

}  // namespace prof::stalls
