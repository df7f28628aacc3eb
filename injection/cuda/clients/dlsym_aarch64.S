// Does for aarch64 what dlsym_x86_64.S does.
  .section .text.dlsym, "ax", %progbits
  .globl prof_dlsym, prof_older_dlsym
  .type prof_dlsym, %function
  .type prof_older_dlsym, %function
prof_dlsym:
prof_older_dlsym:
  hint #34  // bti c
  // Compares byte by byte, because the name may end at the end of a page.
  .set at, 0
  .irp letter, 'c', 'u', 'p', 't', 'i'
  ldrb w16, [x1, #at]
  cmp w16, #\letter
  b.ne 1f
  .set at, at + 1
  .endr
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
  .size prof_dlsym, . - prof_dlsym
  .size prof_older_dlsym, . - prof_older_dlsym
  .symver prof_dlsym, dlsym@GLIBC_2.34, remove
  .symver prof_older_dlsym, dlsym@GLIBC_2.17, remove

  .section .note.GNU-stack, "", %progbits
