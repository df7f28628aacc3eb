#include "every.h"

#include <stdarg.h>
#include <syslog.h>
#include <wchar.h>

extern __typeof__(fopen) _IO_fopen;
extern __typeof__(fdopen) _IO_fdopen;
extern __typeof__(fclose) _IO_fclose;
extern __typeof__(fflush) _IO_fflush;
extern __typeof__(fread) _IO_fread;
extern __typeof__(fwrite) _IO_fwrite;
extern __typeof__(fgets) _IO_fgets;
extern __typeof__(fputs) _IO_fputs;
extern __typeof__(puts) _IO_puts;
extern __typeof__(fsetpos) _IO_fsetpos;
extern __typeof__(getc) _IO_getc;
extern __typeof__(putc) _IO_putc;
int __uflow(FILE*);
int __overflow(FILE*, int);
size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
size_t __fread_unlocked_chk(void*, size_t, size_t, size_t, FILE*);
char* __fgets_chk(char*, size_t, int, FILE*);
char* __fgets_unlocked_chk(char*, size_t, int, FILE*);
wchar_t* __fgetws_chk(wchar_t*, size_t, int, FILE*);
wchar_t* __fgetws_unlocked_chk(wchar_t*, size_t, int, FILE*);
int __printf_chk(int, const char*, ...);
int __fprintf_chk(FILE*, int, const char*, ...);
int __dprintf_chk(int, int, const char*, ...);
int __vprintf_chk(int, const char*, va_list);
int __vfprintf_chk(FILE*, int, const char*, va_list);
int __vdprintf_chk(int, int, const char*, va_list);
void __syslog_chk(int, int, const char*, ...);
void __vsyslog_chk(int, int, const char*, va_list);

static void open_and_close(void) {
  FILE* stream = CALL(fopen, "text", "w+");
  stream = CALL(freopen, "text", "r+", stream);
  stream = CALL(freopen64, "text", "r+", stream);
  CALL(fclose, stream);
  CALL(fclose, CALL(fopen64, "text", "r"));
  CALL(fclose, ALIAS(_IO_fopen, fopen, "text", "r"));
  CALL(fclose, CALL(fdopen, CALL(open, "text", O_RDONLY), "r"));
  ALIAS(_IO_fclose, fclose, ALIAS(_IO_fdopen, fdopen, CALL(open, "text", O_RDONLY), "r"));
  CALL(fclose, CALL(tmpfile));
  CALL(fclose, CALL(tmpfile64));
}

static void write_blocks(FILE* stream) {
  CALL(fwrite, "block\n", 1, 6, stream);
  CALL(fwrite_unlocked, "block\n", 1, 6, stream);
  ALIAS(_IO_fwrite, fwrite, "block\n", 1, 6, stream);
  for (int i = 0; i < 8; ++i) CALL(fputs, "line\n", stream);
  CALL(fputs_unlocked, "line\n", stream);
  ALIAS(_IO_fputs, fputs, "line\n", stream);
  CALL(putw, 42, stream);
  CALL(fflush, stream);
  CALL(fflush_unlocked, stream);
  ALIAS(_IO_fflush, fflush, stream);
}

static void read_blocks(FILE* stream) {
  char buffer[64];
  char* line = NULL;
  size_t room = 0;
  CALL(rewind, stream);
  CALL(fread, buffer, 1, 6, stream);
  CALL(fread_unlocked, buffer, 1, 2, stream);
  ALIAS(_IO_fread, fread, buffer, 1, 2, stream);
  ALIAS(__fread_chk, fread, buffer, sizeof buffer, 1, 2, stream);
  ALIAS(__fread_unlocked_chk, fread_unlocked, buffer, sizeof buffer, 1, 6, stream);
  CALL(fgets, buffer, sizeof buffer, stream);
  CALL(fgets_unlocked, buffer, sizeof buffer, stream);
  ALIAS(_IO_fgets, fgets, buffer, sizeof buffer, stream);
  ALIAS(__fgets_chk, fgets, buffer, sizeof buffer, sizeof buffer, stream);
  ALIAS(__fgets_unlocked_chk, fgets_unlocked, buffer, sizeof buffer, sizeof buffer, stream);
  CALL(getline, &line, &room, stream);
  CALL(getdelim, &line, &room, '\n', stream);
  ALIAS(__getdelim, getdelim, &line, &room, '\n', stream);
  CALL(getw, stream);
}

static void seek(FILE* stream) {
  fpos_t position;
  fpos64_t position64;
  fgetpos(stream, &position);
  fgetpos64(stream, &position64);
  CALL(fseek, stream, 0, SEEK_SET);
  CALL(fseeko, stream, 0, SEEK_SET);
  CALL(fseeko64, stream, 0, SEEK_SET);
  CALL(fsetpos, stream, &position);
  CALL(fsetpos64, stream, &position64);
  ALIAS(_IO_fsetpos, fsetpos, stream, &position);
}

/* Without a buffer every character is transferred, and so every call is recorded. */
static void characters(FILE* stream) {
  setvbuf(stream, NULL, _IONBF, 0);
  CALL(rewind, stream);
  CALL(fputc, 'a', stream);
  CALL(fputc_unlocked, 'b', stream);
  CALL(putc, 'c', stream);
  CALL(putc_unlocked, 'd', stream);
  ALIAS(_IO_putc, putc, 'e', stream);
  ALIAS(__overflow, putc_unlocked, stream, 'f');
  CALL(rewind, stream);
  CALL(fgetc, stream);
  CALL(fgetc_unlocked, stream);
  CALL(getc, stream);
  CALL(getc_unlocked, stream);
  ALIAS(_IO_getc, getc, stream);
  ALIAS(__uflow, getc_unlocked, stream);
  CALL(freopen, "text", "r", stdin);
  setvbuf(stdin, NULL, _IONBF, 0);
  CALL(getchar);
  CALL(getchar_unlocked);
  CALL(putchar, '\n');
  CALL(putchar_unlocked, '\n');
  CALL(puts, "");
  ALIAS(_IO_puts, puts, "");
}

/* With a buffer only calls that fill it or empty it are recorded. */
static void buffered_characters(void) {
  FILE* stream = CALL(fopen, "buffered", "w+");
  static char buffer[100];
  setvbuf(stream, buffer, _IOFBF, sizeof buffer);
  count("putc", "putc"); /* the first finds no buffer, the last makes room */
  count("putc", "putc");
  for (int i = 0; i < 101; ++i) putc('x', stream);
  CALL(rewind, stream);
  count("getc", "getc");
  count("getc", "getc");
  for (int i = 0; i < 101; ++i) getc(stream);
  CALL(fclose, stream);
}

static void print_list(FILE* stream, const char* format, ...) {
  va_list list;
#define WITH_LIST(call) va_start(list, format), call, va_end(list)
  WITH_LIST(CALL(vprintf, format, list));
  WITH_LIST(CALL(vfprintf, stream, format, list));
  WITH_LIST(CALL(vdprintf, STDOUT_FILENO, format, list));
  WITH_LIST(CALL(vsyslog, LOG_DEBUG, format, list));
  WITH_LIST(ALIAS(__vprintf_chk, vprintf, 1, format, list));
  WITH_LIST(ALIAS(__vfprintf_chk, vfprintf, stream, 1, format, list));
  WITH_LIST(ALIAS(__vdprintf_chk, vdprintf, STDOUT_FILENO, 1, format, list));
  WITH_LIST(ALIAS(__vsyslog_chk, vsyslog, LOG_DEBUG, 1, format, list));
}

/* Arguments of all kinds, because the wrapper must pass all of them on. */
#define FORMAT "%d %s %.1f %Lf %ld %c %x %d %d %.2f %.3f %.4f %.5f %.6f %.7f %.8f %.9f\n"
#define ARGUMENTS \
  -1, "two", 3.0, 4.0L, 5L, '6', 0x7, 8, 9, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0

static void formatted(FILE* stream) {
  CALL(printf, FORMAT, ARGUMENTS);
  CALL(fprintf, stream, FORMAT, ARGUMENTS);
  CALL(dprintf, STDOUT_FILENO, FORMAT, ARGUMENTS);
  CALL(syslog, LOG_DEBUG, FORMAT, ARGUMENTS);
  ALIAS(__printf_chk, printf, 1, FORMAT, ARGUMENTS);
  ALIAS(__fprintf_chk, fprintf, stream, 1, FORMAT, ARGUMENTS);
  ALIAS(__dprintf_chk, dprintf, STDOUT_FILENO, 1, FORMAT, ARGUMENTS);
  ALIAS(__syslog_chk, syslog, LOG_DEBUG, 1, FORMAT, ARGUMENTS);
  print_list(stream, FORMAT, ARGUMENTS);
  CALL(perror, "osrt_every");
}

static void wide_characters(void) {
  wchar_t text[64];
  FILE* stream = CALL(fopen, "wide", "w+");
  CALL(fputwc, L'a', stream);
  CALL(fputwc_unlocked, L'b', stream);
  CALL(putwc, L'c', stream);
  CALL(putwc_unlocked, L'd', stream);
  for (int i = 0; i < 4; ++i) CALL(fputws, L"line\n", stream);
  CALL(fputws_unlocked, L"line\n", stream);
  CALL(rewind, stream);
  CALL(fgetwc, stream);
  CALL(fgetwc_unlocked, stream);
  CALL(getwc, stream);
  CALL(getwc_unlocked, stream);
  CALL(fgetws, text, 64, stream);
  CALL(fgetws_unlocked, text, 64, stream);
  ALIAS(__fgetws_chk, fgetws, text, 64, 64, stream);
  ALIAS(__fgetws_unlocked_chk, fgetws_unlocked, text, 64, 64, stream);
  CALL(fclose, stream);
}

void call_stdio(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  open_and_close();
  FILE* stream = CALL(fopen, "text", "w+");
  write_blocks(stream);
  read_blocks(stream);
  seek(stream);
  characters(stream);
  formatted(stream);
  CALL(fclose, stream);
  buffered_characters();
  wide_characters();
  CALL(fcloseall);
}
