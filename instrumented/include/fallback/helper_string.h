// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command line flags as the CUDA samples read them ("--name=value", any number of dashes). A stand-in, used when the
// program does not bring its own.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../lanescope/hide_macros.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRNCASECMP
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, bytes, from) strcpy(to, from)
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#endif

/// What follows the flag's name, from its '=' on; null when the flag is not given.
static inline const char* __lsFlag(int argc, const char** argv, const char* name)
{
    for (int i = 1; i < argc; ++i) {
        const char* text = argv[i];
        while (*text == '-')
            ++text;
        const size_t length = strlen(name);
        if (text != argv[i] && strncasecmp(text, name, length) == 0 && (text[length] == 0 || text[length] == '='))
            return text + length;
    }
    return 0;
}
static inline bool checkCmdLineFlag(int argc, const char** argv, const char* name)
{
    return __lsFlag(argc, argv, name) != 0;
}
static inline int getCmdLineArgumentInt(int argc, const char** argv, const char* name)
{
    const char* value = __lsFlag(argc, argv, name);
    return value && *value ? atoi(value + 1) : 0;
}
static inline float getCmdLineArgumentFloat(int argc, const char** argv, const char* name)
{
    const char* value = __lsFlag(argc, argv, name);
    return value && *value ? (float)atof(value + 1) : 0.0f;
}
static inline bool getCmdLineArgumentString(int argc, const char** argv, const char* name, char** result)
{
    const char* value = __lsFlag(argc, argv, name);
    *result = value && *value ? (char*)(value + 1) : 0;
    return *result != 0;
}
template <class T>
static inline bool getCmdLineArgumentValue(int argc, const char** argv, const char* name, T* result)
{
    const char* value = __lsFlag(argc, argv, name);
    if (value && *value)
        *result = (T)atof(value + 1);
    return value != 0;
}
static inline char* sdkFindFilePath(const char* name, const char* /*executable*/)
{
    FILE* file = fopen(name, "rb");
    if (!file)
        return 0;
    fclose(file);
    return strdup(name);
}

#include "../lanescope/restore_macros.h"
