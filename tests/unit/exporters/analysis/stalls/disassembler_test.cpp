#include "exporters/analysis/stalls/disassembler.hpp"

#include <gtest/gtest.h>

#include <array>

#include "exporters/analysis/stalls/reasons.hpp"

namespace prof::stalls {
namespace {

TEST(Disassembler, ReadsInstructions) {
  const InstructionTexts texts = parse_instructions(
      "\t.target\tsm_90\n.text.k:\n        /*0000*/    LDC R1, c[0x0][0x28] ;\n"
      "\t//## File \"/*0020*/\", line 3\n.L_x_1:\n        /*1f0a0*/ @P0 BRA `(.L_x_1);");
  EXPECT_EQ(texts, (InstructionTexts{{0, "LDC R1, c[0x0][0x28]"}, {0x1f0a0, "@P0 BRA `(.L_x_1)"}}));
}

TEST(Disassembler, IgnoresOtherOutput) {
  for (const char* text : {"", "\n", "/*", "/**/", "/*x*/ NOP", "/*10 */ NOP",
                           "/*ffffffffffffffff0*/", "Usage : nvdisasm [options]"})
    EXPECT_TRUE(parse_instructions(text).empty()) << text;
}

TEST(Disassembler, PrintsRawInstructions) {
  std::array<std::byte, 24> code{};
  code[0] = std::byte{0x24};
  code[15] = std::byte{0xf};
  EXPECT_EQ(raw_instruction(code, 0), "0x0f00000000000000 0x0000000000000024");
  EXPECT_EQ(raw_instruction(code, 16), "");
  EXPECT_EQ(raw_instruction(code, ~std::uint64_t{0}), "");
}

TEST(StallReasons, HaveCauses) {
  EXPECT_EQ(reason_of("long_scoreboard").cause, Cause::kMemory);
  EXPECT_EQ(reason_of("smsp__pcsamp_warps_issue_stalled_barrier").cause, Cause::kBarrier);
  EXPECT_EQ(reason_of("smsp__pcsamp_warps_issue_stalled_barrier").name, "barrier");
  EXPECT_EQ(reason_of("mio_throttle_pipe_mio").cause, Cause::kSharedMemory);
  EXPECT_EQ(reason_of("mio_throttle_pipe_mio").name, "mio_throttle_pipe_mio");
  EXPECT_EQ(reason_of("brand_new").cause, Cause::kNone);
  EXPECT_EQ(reason_of("brand_new").name, "brand_new");
}

}  // namespace
}  // namespace prof::stalls
