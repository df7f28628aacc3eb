// Places variables in memory (injection/layout.ld), because each page that a process touches costs
// it a page fault. Functions have their places in layout.ld itself.
#pragma once

// For what fork children write first. It is zero-initialised.
#define PROF_WRITTEN_FIRST [[gnu::section(".bss.first")]]
// For a large table that most processes never use. It is zero-initialised.
#define PROF_SELDOM [[gnu::section(".bss.seldom")]]
