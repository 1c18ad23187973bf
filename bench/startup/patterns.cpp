/* patterns.cpp - text is searched for regular expressions, narrow and wide */
#include "app.hpp"

#include <regex>

template <class C>
static double matches(const std::basic_string<C> &in, const std::basic_string<C> &pattern, bool ignore_case)
{
    const std::basic_regex<C> re(pattern, ignore_case ? std::regex::icase : std::regex::ECMAScript);
    double sum = 0;
    for (std::regex_iterator<typename std::basic_string<C>::const_iterator> i(in.begin(), in.end(), re), end; i != end; ++i)
        sum += double(i->position() + i->length());
    return sum;
}

double patterns(unsigned seed)
{
    const std::string in = "name = value; other=17 ; Total: " + std::to_string(seed);
    const std::wstring wide(in.begin(), in.end());
    return matches<char>(in, "([a-z]+)\\s*=\\s*(\\w+)", false) + matches<char>(in, "total: [0-9]{1,3}$", true) +
           matches<wchar_t>(wide, L"[[:alpha:]]+(?==)", seed % 2 != 0);
}
