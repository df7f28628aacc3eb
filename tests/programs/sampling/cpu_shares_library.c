// One of the libraries that cpu_shares opens. LIBRARY_NAME does UNITS of work.
static volatile unsigned long g_sink;

void LIBRARY_NAME(long unit) {
  for (long i = 0; i < UNITS * unit; ++i) g_sink = g_sink + 1;
}
