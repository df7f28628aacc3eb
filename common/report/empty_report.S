// The files that empty_report.py writes, as data.
  .section .rodata
  .globl prof_empty_report, prof_empty_report_end, prof_small_report, prof_small_report_end
  .balign 16
prof_empty_report:
  .incbin PROF_EMPTY_REPORT
prof_empty_report_end:
  .balign 16
prof_small_report:
  .incbin PROF_SMALL_REPORT
prof_small_report_end:

  .section .note.GNU-stack, "", @progbits
