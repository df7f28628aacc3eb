// dlopen, for programs that -t opengl traces: it asks prof_choose_library() what to open and jumps
// to the real dlopen, which sees the program as its caller.
  .text
  .globl dlopen
  .type dlopen, @function
dlopen:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  leaq 8(%rsp), %rsi   // flags, which it may change
  movq 24(%rsp), %rdx  // the caller
  call prof_choose_library
  movq %rax, %rdi
  movq %rdx, %rax
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size dlopen, . - dlopen

  .section .note.GNU-stack, "", @progbits
