// Places variables in memory (injection/layout.ld), because each page that a process touches costs
// it a page fault.
#pragma once

// For a large table that most processes never use. It is zero-initialised.
#define PROF_SELDOM [[gnu::section(".bss.seldom")]]
