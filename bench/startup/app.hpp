/* app.hpp - the program of `make -C bench startup`: many kinds of records, and features that work on them
 *
 * Like programs with generated classes: each kind has its own fields, so the templates of nlohmann-json, rapidjson and
 * the standard library become other code for each.
 */
#pragma once
#include <cstddef>
#include <string>
#include <vector>

/* What a program can do with one kind of records. The records of the last read() are kept. */
struct kind {
    explicit kind(unsigned n) : id(n) {}
    virtual ~kind() = default;
    virtual void make(unsigned count) = 0;
    virtual std::string write_json() const = 0;
    virtual std::string write_fast() const = 0;
    virtual void read_json(const std::string &from) = 0;
    virtual void read_fast(const std::string &from) = 0;
    virtual std::string pack() const = 0;
    virtual void unpack(const std::string &from) = 0;
    virtual std::size_t sort(unsigned by) = 0;
    virtual std::size_t index(unsigned by) const = 0;
    virtual double query(unsigned by, unsigned sum) const = 0;
    virtual double relate() const = 0;
    virtual std::string print() const = 0;
    virtual std::string csv() const = 0;
    virtual std::size_t validate() const = 0;
    virtual std::size_t compare(std::size_t a, std::size_t b) const = 0;
    virtual std::size_t hash() const = 0;
    const unsigned id;
};

std::vector<kind *> &kinds();

/* Pseudo-random numbers that are the same at compile time and at run time. */
constexpr unsigned mix(unsigned a, unsigned b)
{
    unsigned x = a * 2654435761u ^ (b + 1) * 2246822519u;
    x = (x ^ x >> 15) * 2246822507u;
    x = (x ^ x >> 13) * 3266489909u;
    return x >> 7;
}

/* Features that know no records; each returns a number that depends on all it did. */
double documents(unsigned seed);
double patterns(unsigned seed);
extern "C" double pictures(unsigned seed);
