#include "exporters/analysis/insight/profiles/metric_rules.hpp"

namespace prof::insight {

namespace {

const char* launch_step(KernelRule rule) {
  switch (rule) {
    case KernelRule::kSmallGrid:
      return "Split the work into more blocks, or run other kernels at the same time";
    case KernelRule::kTail:
      return "Choose a number of blocks that fills the last wave, or smaller blocks";
    case KernelRule::kPartialWarps:
      return "Use blocks whose number of threads is a multiple of 32";
    case KernelRule::kRegisterWaste:
      return "Let the compiler use fewer registers: __launch_bounds__ or -maxrregcount";
    case KernelRule::kLowOccupancy:
      return "Use fewer registers or less shared memory, or blocks of another size";
    default:
      return "Give blocks and warps equally long work; kernels that end early leave places empty";
  }
}

const char* memory_step(KernelRule rule) {
  switch (rule) {
    case KernelRule::kSectorUse:
    case KernelRule::kUncoalesced:
      return "Let neighbouring threads access neighbouring addresses, or go through shared memory";
    case KernelRule::kBankConflicts:
    case KernelRule::kSharedWavefronts:
      return "Add a column to arrays in shared memory, or change the order of their indices";
    case KernelRule::kSpills:
      return "Use fewer variables at a time, allow more registers, and index small arrays with "
             "constants";
    case KernelRule::kCompressionWrites:
      return "Write whole cache lines to compressible memory";
    default:
      return "Allocate only memory as compressible that holds similar values";
  }
}

}  // namespace

const char* next_step_text(KernelRule rule) {
  switch (rule) {
    case KernelRule::kSectorUse:
    case KernelRule::kUncoalesced:
    case KernelRule::kBankConflicts:
    case KernelRule::kSharedWavefronts:
    case KernelRule::kSpills:
    case KernelRule::kCompression:
    case KernelRule::kCompressionWrites:
      return memory_step(rule);
    case KernelRule::kIssueSlots:
    case KernelRule::kStall:
      return "Find the instructions that wait (prof profile --pc-sampling), and give each thread "
             "more independent work";
    case KernelRule::kDivergence:
      return "Let all threads of a warp take the same way through branches and loops";
    case KernelRule::kImbalance:
      return "Give all blocks equally long work, or let blocks fetch their work from a queue";
    case KernelRule::kIdlePipes:
      return "Look what the warps wait for; the kernel computes little";
    case KernelRule::kBusyPipe:
      return "Move work to other pipes, or compute less";
    case KernelRule::kDoublePrecision:
      return "Compute in single precision where that is exact enough";
    case KernelRule::kUnfused:
      return "Let the compiler fuse multiplications and additions (-fmad=true), or use fma()";
    case KernelRule::kIdleTensorCores:
      return "Use larger matrices, and sizes that are multiples of 64";
    default:
      return launch_step(rule);
  }
}

}  // namespace prof::insight
