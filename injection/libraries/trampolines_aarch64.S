// Does for aarch64 what trampolines_x86_64.S does.
//
// Arguments are in x0 to x7, v0 to v7 and on the stack; x8 has the address of a result in memory. Results are in x0, x1
// and v0 to v3.

#define WINDOW 256  // bytes of stack arguments: 32 words
#define FRAME 224   // x29, x30, the number, 9 integer registers, 8 vector registers

#define SLOT_FUNCTION [x29, #16]
#define SLOT_X8 [x29, #24]
#define SLOT_X(n) [x29, #(32 + 8 * n)]
#define SLOT_V(n) [x29, #(96 + 16 * n)]
#define SLOT_START SLOT_X8  // free after x8 is restored

// These save (stp) or restore (ldp) the registers of arguments, and those of results. Arguments in x0 to x7 stay until
// the call ends.
  .macro arguments operation
  \operation x0, x1, SLOT_X(0)
  \operation x2, x3, SLOT_X(2)
  \operation x4, x5, SLOT_X(4)
  \operation x6, x7, SLOT_X(6)
  \operation q0, q1, SLOT_V(0)
  \operation q2, q3, SLOT_V(2)
  \operation q4, q5, SLOT_V(4)
  \operation q6, q7, SLOT_V(6)
  .endm
  .macro results operation
  \operation x0, x1, SLOT_V(4)
  \operation q0, q1, SLOT_V(0)
  \operation q2, q3, SLOT_V(2)
  .endm

  .text

// Wrappers jump here with the number of the function in w16.
  .balign 16
  .type forward, %function
forward:
  .cfi_startproc
  stp x29, x30, [sp, #-FRAME]!
  .cfi_def_cfa_offset FRAME
  .cfi_offset x29, -FRAME
  .cfi_offset x30, 8 - FRAME
  mov x29, sp
  .cfi_def_cfa_register x29

  str x16, SLOT_FUNCTION
  str x8, SLOT_X8
  arguments stp

  mov w0, w16
  mov x1, x30  // return address: the caller
  bl enter_call
  mov x16, x0  // the real function
  mov x17, x1  // time of the call, or 0

  ldr x8, SLOT_X8
  arguments ldp

  cbz x17, unrecorded
  str x17, SLOT_START

  // v16 and higher carry no arguments, and no function preserves them across a call.
  sub sp, sp, #WINDOW
  .set offset, 0
  .rept WINDOW / 32
  ldp q16, q17, [x29, #(FRAME + offset)]
  stp q16, q17, [sp, #offset]
  .set offset, offset + 32
  .endr
  blr x16
  mov sp, x29

  results stp
  mov w2, w0  // what the function returned
  ldr w0, SLOT_FUNCTION
  ldr x1, SLOT_START
  add x3, x29, #32     // arguments in registers
  add x4, x29, #FRAME  // arguments on the stack
  ldr x5, [x29, #8]    // the caller
  bl leave_call
  results ldp
  .cfi_remember_state
  ldp x29, x30, [sp], #FRAME
  .cfi_def_cfa sp, 0
  .cfi_restore x29
  .cfi_restore x30
  ret

unrecorded:
  .cfi_restore_state
  ldp x29, x30, [sp], #FRAME
  .cfi_def_cfa sp, 0
  .cfi_restore x29
  .cfi_restore x30
  br x16
  .cfi_endproc
  .size forward, . - forward

// A C macro expands to one line, so an assembler macro is used.
  .set number, 0
  .macro entry name
  .balign 16
  .globl \name
  .type \name, %function
\name:
  hint #34  // bti c
  mov w16, #number
  b forward
  .size \name, . - \name
  .set number, number + 1
  .endm

#define LIBRARY_STATUS(name) entry name
#define LIBRARY_TEXT(name) entry name
#define LIBRARY_VALUE(name, ...) entry name
  .cfi_startproc
#include PROF_LIBRARY_DEF
  .cfi_endproc

  .section .note.GNU-stack, "", %progbits
