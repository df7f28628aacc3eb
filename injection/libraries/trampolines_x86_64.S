// Wrappers for the traced functions of one library (PROF_LIBRARY_DEF). The program calls them in
// place of the real functions.
//
// The functions have no prototypes here. Each wrapper loads its number and jumps to `forward`,
// which saves all registers that can carry an argument and asks calls.cpp for the real function. If
// nothing is recorded, `forward` jumps to that function, and the call is the same as without prof.
// Otherwise it calls the function with a copy of the caller's stack arguments, so that control
// returns here. The copy has a fixed size; bytes after the last argument are copied too but not
// used. tests/lint/test_library_functions.py checks that the size is enough for every function in
// the headers.
//
// The frame is an ordinary one with %rbp and unwind information, so debuggers, exceptions and
// cancellation work. Return values are kept in %rax, %rdx, %xmm0 and %xmm1. x87 return values are
// not touched by any code here.

#define WINDOW 256  // bytes of stack arguments: 32 words
#define SAVED 192   // 8 integer registers, 8 vector registers

#define SLOT_FUNCTION -8(%rbp)
#define SLOT_RAX -16(%rbp)
// In the order of the arguments. They stay until the call ends.
#define SLOT_RDI -64(%rbp)
#define SLOT_RSI -56(%rbp)
#define SLOT_RDX -48(%rbp)
#define SLOT_RCX -40(%rbp)
#define SLOT_R8 -32(%rbp)
#define SLOT_R9 -24(%rbp)
#define SLOT_XMM(n) -(80 + 16 * n)(%rbp)
// Free after %xmm2 and %xmm3 are restored.
#define SLOT_START SLOT_XMM(2)
#define SLOT_RESULT2 SLOT_XMM(3)

  .text

// Wrappers jump here with the number of the function in %r11d.
  .balign 16
  .type forward, @function
forward:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $(SAVED + WINDOW), %rsp

  movl %r11d, SLOT_FUNCTION
  movq %rax, SLOT_RAX  // %al: number of vector registers of a variadic call
  movq %rdi, SLOT_RDI
  movq %rsi, SLOT_RSI
  movq %rdx, SLOT_RDX
  movq %rcx, SLOT_RCX
  movq %r8, SLOT_R8
  movq %r9, SLOT_R9
  movaps %xmm0, SLOT_XMM(0)
  movaps %xmm1, SLOT_XMM(1)
  movaps %xmm2, SLOT_XMM(2)
  movaps %xmm3, SLOT_XMM(3)
  movaps %xmm4, SLOT_XMM(4)
  movaps %xmm5, SLOT_XMM(5)
  movaps %xmm6, SLOT_XMM(6)
  movaps %xmm7, SLOT_XMM(7)

  movl %r11d, %edi
  movq 8(%rbp), %rsi  // return address: the caller
  call enter_call
  movq %rax, %r11  // the real function
  movq %rdx, %r10  // time of the call, or 0

  movq SLOT_RAX, %rax
  movq SLOT_RDI, %rdi
  movq SLOT_RSI, %rsi
  movq SLOT_RDX, %rdx
  movq SLOT_RCX, %rcx
  movq SLOT_R8, %r8
  movq SLOT_R9, %r9
  movaps SLOT_XMM(0), %xmm0
  movaps SLOT_XMM(1), %xmm1
  movaps SLOT_XMM(2), %xmm2
  movaps SLOT_XMM(3), %xmm3
  movaps SLOT_XMM(4), %xmm4
  movaps SLOT_XMM(5), %xmm5
  movaps SLOT_XMM(6), %xmm6
  movaps SLOT_XMM(7), %xmm7

  testq %r10, %r10
  jz unrecorded
  movq %r10, SLOT_START

  // %xmm8 and higher carry no arguments, and no function preserves them across a call.
  .set offset, 0
  .rept WINDOW / 32
  movups (16 + offset)(%rbp), %xmm8
  movups (32 + offset)(%rbp), %xmm9
  movaps %xmm8, offset(%rsp)
  movaps %xmm9, (16 + offset)(%rsp)
  .set offset, offset + 32
  .endr
  call *%r11

  movq %rax, SLOT_RAX
  movq %rdx, SLOT_RESULT2
  movaps %xmm0, SLOT_XMM(0)
  movaps %xmm1, SLOT_XMM(1)
  movl SLOT_FUNCTION, %edi
  movq SLOT_START, %rsi
  movl %eax, %edx         // what the function returned
  leaq SLOT_RDI, %rcx     // arguments in registers
  leaq 16(%rbp), %r8      // arguments on the stack
  movq 8(%rbp), %r9       // the caller
  call leave_call
  movq SLOT_RAX, %rax
  movq SLOT_RESULT2, %rdx
  movaps SLOT_XMM(0), %xmm0
  movaps SLOT_XMM(1), %xmm1
  .cfi_remember_state
  leave
  .cfi_def_cfa %rsp, 8
  ret

unrecorded:
  .cfi_restore_state
  leave
  .cfi_def_cfa %rsp, 8
  jmp *%r11
  .cfi_endproc
  .size forward, . - forward

// A C macro expands to one line, so an assembler macro is used.
  .set number, 0
  .macro entry name
  .balign 16
  .globl \name
  .type \name, @function
\name:
  endbr64
  movl $number, %r11d
  jmp forward
  .size \name, . - \name
  .set number, number + 1
  .endm

#define LIBRARY_STATUS(name) entry name
#define LIBRARY_TEXT(name) entry name
#define LIBRARY_VALUE(name, ...) entry name
  .cfi_startproc
#include PROF_LIBRARY_DEF
  .cfi_endproc

  .section .note.GNU-stack, "", @progbits
