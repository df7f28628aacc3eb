#include "exporters/analysis/stalls/listing.hpp"

#include <map>
#include <utility>

#include "exporters/analysis/stalls/disassembler.hpp"

namespace prof::stalls {
namespace {

// GPUs since Volta have instructions of this size.
constexpr std::uint64_t kInstructionBytes = 16;

struct Code {
  std::int64_t cubin = 0;
  std::map<std::uint64_t, Sum> samples;  // by offset
};

std::map<std::string, Code> codes_of(const SampledKernel& kernel,
                                     const std::vector<Instruction>& instructions,
                                     KernelCode& sources) {
  std::map<std::string, Code> codes;  // by their bytes
  for (const Instruction& each : instructions) {
    if (each.function != kernel.function) continue;
    const cubin::Function* found = sources.find(each.cubin, kernel.mangled);
    std::string bytes;
    if (found != nullptr)
      bytes.assign(reinterpret_cast<const char*>(found->code.data()), found->code.size());
    Code& code = codes[bytes];
    if (code.samples.empty()) code.cubin = each.cubin;
    code.samples[each.offset].add(each.sum);
  }
  return codes;
}

std::string text_of(const InstructionTexts& texts, const cubin::Function* function,
                    std::uint64_t offset) {
  const auto text = texts.find(offset);
  if (text != texts.end()) return text->second;
  return function != nullptr ? raw_instruction(function->code, offset) : std::string();
}

}  // namespace

std::vector<Listing> listings_of(const SampledKernel& kernel,
                                 const std::vector<Instruction>& instructions, KernelCode& sources,
                                 const std::string& nvdisasm) {
  std::vector<Listing> listings;
  for (auto& [bytes, code] : codes_of(kernel, instructions, sources)) {
    const cubin::Function* function = sources.find(code.cubin, kernel.mangled);
    InstructionTexts texts;
    if (function != nullptr && !nvdisasm.empty())
      texts = disassemble(nvdisasm, sources.bytes(code.cubin), *function);
    for (std::uint64_t at = 0; at < bytes.size(); at += kInstructionBytes) code.samples[at];
    Listing listing{code.cubin, {}};
    listing.instructions.reserve(code.samples.size());
    for (auto& [offset, sum] : code.samples)
      listing.instructions.push_back({offset, text_of(texts, function, offset), std::move(sum)});
    listings.push_back(std::move(listing));
  }
  return listings;
}

}  // namespace prof::stalls
