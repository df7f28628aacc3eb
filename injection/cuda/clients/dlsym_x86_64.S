// dlsym in glibc's versions only, none of which is the default one. Other C libraries know no
// versions and do not use these functions, and a look-up of dlsym itself finds glibc's.
//
// The name is compared byte by byte, because it may end at the end of a page.
  .section .text.dlsym, "ax", @progbits
  .globl prof_dlsym, prof_older_dlsym
  .type prof_dlsym, @function
  .type prof_older_dlsym, @function
prof_dlsym:
prof_older_dlsym:
  endbr64
  cmpb $'c', (%rsi)
  jne 1f
  cmpb $'u', 1(%rsi)
  jne 1f
  cmpb $'p', 2(%rsi)
  jne 4f
  cmpb $'t', 3(%rsi)
  jne 1f
  cmpb $'i', 4(%rsi)
  je prof_look_up_cupti
1:
  movq prof_real_dlsym(%rip), %rax
  testq %rax, %rax
  je 2f
  jmp *%rax
2:
  pushq %rdi
  pushq %rsi
  subq $8, %rsp
  call prof_find_dlsym
  addq $8, %rsp
  popq %rsi
  popq %rdi
  testq %rax, %rax
  je 3f
  jmp *%rax
3:
  ret
4:
  // What RTLD_DEFAULT (0) and RTLD_NEXT (-1) find depends on the caller, which therefore has to be the program.
  leaq 1(%rdi), %rax
  cmpq $1, %rax
  jbe 1b
  movq (%rsp), %rdx
  jmp prof_look_up_library
  .size prof_dlsym, . - prof_dlsym
  .size prof_older_dlsym, . - prof_older_dlsym
  .symver prof_dlsym, dlsym@GLIBC_2.34, remove
  .symver prof_older_dlsym, dlsym@GLIBC_2.2.5, remove

  .section .note.GNU-stack, "", @progbits
