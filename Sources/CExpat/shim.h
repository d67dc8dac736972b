#ifndef FLOWRUN_CEXPAT_H
#define FLOWRUN_CEXPAT_H
#include <expat.h>

/* The line that was read last, from 1. Expat 2.9 deprecates this function for one that older headers do not have. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline unsigned long fr_xml_line(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
#pragma clang diagnostic pop
#endif
