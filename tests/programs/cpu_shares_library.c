// One of the libraries that cpu_shares opens: LIBRARY_NAME works for UNITS.
static volatile unsigned long g_sink;

void LIBRARY_NAME(long unit) {
  for (long i = 0; i < UNITS * unit; ++i) g_sink = g_sink + 1;
}
