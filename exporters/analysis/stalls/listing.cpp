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

}  // namespace

std::vector<CodeLine> code_lines(std::int64_t cubin, const std::string& function,
                                 std::set<std::uint64_t> offsets, KernelCode& sources,
                                 const std::string& nvdisasm) {
  const cubin::Function* found = sources.find(cubin, function);
  InstructionTexts texts;
  if (found != nullptr) {
    if (!nvdisasm.empty()) texts = disassemble(nvdisasm, sources.bytes(cubin), *found);
    for (std::uint64_t at = 0; at < found->code.size(); at += kInstructionBytes) offsets.insert(at);
  }
  std::vector<CodeLine> lines;
  lines.reserve(offsets.size());
  for (const std::uint64_t offset : offsets) {
    const auto text = texts.find(offset);
    lines.push_back({offset, text != texts.end() ? text->second
                             : found != nullptr  ? raw_instruction(found->code, offset)
                                                 : std::string()});
  }
  return lines;
}

std::vector<Listing> listings_of(const SampledKernel& kernel,
                                 const std::vector<Instruction>& instructions, KernelCode& sources,
                                 const std::string& nvdisasm) {
  std::vector<Listing> listings;
  for (auto& [bytes, code] : codes_of(kernel, instructions, sources)) {
    std::set<std::uint64_t> offsets;
    for (const auto& [offset, sum] : code.samples) offsets.insert(offset);
    Listing listing{code.cubin, {}};
    for (CodeLine& each :
         code_lines(code.cubin, kernel.mangled, std::move(offsets), sources, nvdisasm)) {
      Sum& sum = code.samples[each.offset];
      listing.instructions.push_back({std::move(each), std::move(sum)});
    }
    listings.push_back(std::move(listing));
  }
  return listings;
}

}  // namespace prof::stalls
