#ifndef FLOWRUN_CEXPAT_H
#define FLOWRUN_CEXPAT_H
#include <expat.h>
#endif
