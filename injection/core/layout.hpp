// Where variables lie (injection/layout.ld): each page that a process touches costs it a fault.
#pragma once

// A large table that most processes never look into. Begins as zeros.
#define PROF_SELDOM [[gnu::section(".bss.seldom")]]
