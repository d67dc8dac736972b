#ifndef FLOWRUN_CYAML_H
#define FLOWRUN_CYAML_H
#include <yaml.h>
#endif
