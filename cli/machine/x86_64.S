// Calls of elfutils in libprof_report.so go to the command's copy (cli/prof_main.hpp).
#include "cli/machine/slots.inc"

#define F(name)                                                                            \
  .globl name; .hidden name; .type name, @function; name: jmp *slot_##name(%rip); .size name, .- name;
  .text
#include "cli/elf_functions.def"

  .section .note.GNU-stack, "", @progbits
