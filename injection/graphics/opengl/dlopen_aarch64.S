// Does for aarch64 what dlopen_x86_64.S does.
  .text
  .globl dlopen
  .type dlopen, %function
dlopen:
  .cfi_startproc
  hint #34  // bti c
  stp x29, x30, [sp, #-32]!
  .cfi_def_cfa_offset 32
  .cfi_offset x29, -32
  .cfi_offset x30, -24
  mov x29, sp
  str x1, [sp, #16]
  add x1, sp, #16  // flags, which it may change
  mov x2, x30      // the caller
  bl prof_choose_library
  mov x16, x1
  ldr x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_restore x29
  .cfi_restore x30
  .cfi_def_cfa_offset 0
  br x16
  .cfi_endproc
  .size dlopen, . - dlopen

  .section .note.GNU-stack, "", %progbits
