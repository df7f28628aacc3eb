// Calls of elfutils in libprof_report.so go to the command's copy (cli/prof_main.hpp).
#include "cli/machine/slots.inc"

// x16 is for code between a call and its function.
#define F(name)                                                                                 \
  .globl name; .hidden name; .type name, %function; name: adrp x16, slot_##name;                \
  ldr x16, [x16, :lo12:slot_##name]; br x16; .size name, .- name;
  .text
#include "cli/elf_functions.def"

  .section .note.GNU-stack, "", %progbits
