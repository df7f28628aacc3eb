// Does for aarch64 what dlsym_x86_64.S does.
  .section .text.dlsym, "ax", %progbits
  .globl prof_dlsym, prof_older_dlsym
  .type prof_dlsym, %function
  .type prof_older_dlsym, %function
prof_dlsym:
prof_older_dlsym:
  hint #34  // bti c
  // Compares byte by byte, because the name may end at the end of a page.
  .macro expect letter, at, otherwise
  ldrb w16, [x1, #\at]
  cmp w16, #\letter
  b.ne \otherwise
  .endm
  expect 'c', 0, 1f
  expect 'u', 1, 1f
  expect 'p', 2, 4f
  expect 't', 3, 1f
  expect 'i', 4, 1f
  b prof_look_up_cupti
1:
  adrp x16, prof_real_dlsym
  ldr x16, [x16, #:lo12:prof_real_dlsym]
  cbz x16, 2f
  br x16
2:
  stp x29, x30, [sp, #-32]!
  stp x0, x1, [sp, #16]
  bl prof_find_dlsym
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  cbz x16, 3f
  br x16
3:
  mov x0, xzr
  ret
4:
  // What RTLD_DEFAULT (0) and RTLD_NEXT (-1) find depends on the caller, which therefore has to be the program.
  add x16, x0, #1
  cmp x16, #1
  b.ls 1b
  mov x2, x30
  b prof_look_up_library
  .size prof_dlsym, . - prof_dlsym
  .size prof_older_dlsym, . - prof_older_dlsym
  .symver prof_dlsym, dlsym@GLIBC_2.34, remove
  .symver prof_older_dlsym, dlsym@GLIBC_2.17, remove

  .section .note.GNU-stack, "", %progbits
