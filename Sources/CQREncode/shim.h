#ifndef FLOWRUN_CQRENCODE_H
#define FLOWRUN_CQRENCODE_H
#include <qrencode.h>
#endif
