#define DOCTEST_CONFIG_IMPLEMENT  // by itself as well: the precompiled header has been here
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
