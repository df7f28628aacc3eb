// Places variables in memory (injection/layout.ld), because each page that a process touches costs
// a page fault. The places of functions are in layout.ld itself.
#pragma once

// For variables that fork children write first. They are zero-initialised.
#define PROF_WRITTEN_FIRST [[gnu::section(".bss.first")]]
// For a large table that most processes never use. It is zero-initialised.
#define PROF_SELDOM [[gnu::section(".bss.seldom")]]
