/* kinds.cpp - the kinds FIRST to FIRST + 2, registered when the program starts; compiled once for each FIRST */
#include "kinds.hpp"

namespace {
kind_of<FIRST> first;
kind_of<FIRST + 1> second;
kind_of<FIRST + 2> third;
const bool registered = (kinds().insert(kinds().end(), {&first, &second, &third}), true);
}
