#ifndef FLOWRUN_CQRENCODE_H
#define FLOWRUN_CQRENCODE_H
#include <qrencode.h>
#include <dlfcn.h>

/* libqrencode is loaded with the first picture; until then, and where it is missing, no other function here may be
   called. */
static inline void *fr_qrencode_library(void) {
    static void *library;
#ifdef __APPLE__
    if (!library) library = dlopen("libqrencode.4.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    if (!library) library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
#endif
    return library;
}
#define FR_QRENCODE(name) \
    static __typeof__(&name) function; \
    if (!function) function = (__typeof__(&name)) dlsym(fr_qrencode_library(), #name)

/* The smallest symbol for the bytes of a text, case-sensitive. */
static inline QRcode *fr_qrencode(const char *text, QRecLevel level) {
    FR_QRENCODE(QRcode_encodeString);
    return function(text, 0, level, QR_MODE_8, 1);
}
static inline void fr_qrencode_free(QRcode *code) { FR_QRENCODE(QRcode_free); function(code); }
#undef FR_QRENCODE
#endif
