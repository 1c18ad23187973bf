/* main.cpp - starts up in one of five ways, prints what came out, and ends
 *
 *     app DIR make               writes the records that start-ups read, and the settings
 *     app DIR WAY DAY            WAY server, editor, report, gallery, console; DAY: which records besides the usual ones
 */
#include "app.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

using json = nlohmann::json;

std::vector<kind *> &kinds()
{
    static std::vector<kind *> all;
    return all;
}

static std::string read_file(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(in), {}};
}

static void write_file(const std::string &path, const std::string &text)
{
    std::ofstream out(path, std::ios::binary);
    if (!(out << text).flush()) throw std::runtime_error("cannot write " + path);
}

static const char *const settings = R"({
  "usual": [4, 13, 22, 31],
  "server":  {"kinds": [0, 2, 5, 8, 9, 14, 16, 18, 21, 25, 28, 30], "steps": ["read fast", "index"], "features": ["documents"]},
  "editor":  {"kinds": [1, 2, 5, 7, 11, 15, 19, 20, 23, 27, 29, 32], "steps": ["read", "validate", "print"], "features": ["documents"]},
  "report":  {"kinds": [0, 3, 6, 10, 12, 15, 17, 19, 24, 26, 30], "steps": ["read", "query", "csv"], "features": ["patterns"]},
  "gallery": {"kinds": [1, 6, 7, 12, 14, 18, 21, 24, 28], "steps": ["read fast", "hash", "pack"], "features": ["pictures"]},
  "console": {"kinds": [0, 3, 8, 11, 16, 17, 20, 25, 29, 32], "steps": ["read fast", "compare", "print"], "features": ["patterns"]}
})";

static const std::map<std::string, std::function<double(kind &, const std::string &)>> steps = {
    {"read", [](kind &k, const std::string &s) { k.read_json(s); return 1.0; }},
    {"read fast", [](kind &k, const std::string &s) { k.read_fast(s); return 1.0; }},
    {"write", [](kind &k, const std::string &) { return double(k.write_json().size()); }},
    {"write fast", [](kind &k, const std::string &) { return double(k.write_fast().size()); }},
    {"pack", [](kind &k, const std::string &) { const std::string p = k.pack(); k.unpack(p); return double(p.size()); }},
    {"sort", [](kind &k, const std::string &) { return double(k.sort(k.id) + k.sort(k.id + 1)); }},
    {"index", [](kind &k, const std::string &) { return double(k.index(0) + k.index(k.id)); }},
    {"query", [](kind &k, const std::string &) { return k.query(1, k.id) + k.query(k.id, 2); }},
    {"relate", [](kind &k, const std::string &) { return k.relate(); }},
    {"print", [](kind &k, const std::string &) { return double(k.print().size()); }},
    {"csv", [](kind &k, const std::string &) { return double(k.csv().size()); }},
    {"validate", [](kind &k, const std::string &) { return double(k.validate()); }},
    {"compare", [](kind &k, const std::string &) { return double(k.compare(0, 1) + k.compare(2, 2)); }},
    {"hash", [](kind &k, const std::string &) { return double(k.hash() % 1000); }},
};

static const std::map<std::string, double (*)(unsigned)> features = {
    {"documents", documents}, {"patterns", patterns}, {"pictures", pictures}};

static std::string file_of(const std::string &dir, const kind &k)
{
    return dir + "/kind" + std::to_string(k.id) + ".json";
}

static void make(const std::string &dir)
{
    write_file(dir + "/settings.json", settings);
    for (kind *k : kinds()) {
        k->make(12);
        write_file(file_of(dir, *k), k->write_json());
    }
}

static double start(const std::string &dir, const std::string &way, unsigned day)
{
    const json all = json::parse(read_file(dir + "/settings.json")), &here = all.at(way);
    std::vector<unsigned> ids = all.at("usual").get<std::vector<unsigned>>();
    for (unsigned id : here.at("kinds")) ids.insert(mix(day, id) % 2 ? ids.begin() : ids.end(), id);
    ids.push_back(mix(day, 50) % unsigned(kinds().size()));
    ids.push_back(mix(day, 51) % unsigned(kinds().size()));
    double sum = 0;
    for (unsigned id : ids) {
        const auto found = std::find_if(kinds().begin(), kinds().end(), [&](kind *k) { return k->id == id; });
        const std::string from = read_file(file_of(dir, **found));
        for (const auto &s : here.at("steps")) sum += steps.at(s)(**found, from);
    }
    for (const auto &f : here.at("features")) sum += features.at(f)(day);
    return sum;
}

int main(int argc, char **argv)
try {
    if (argc == 3 && std::string(argv[2]) == "make") make(argv[1]);
    else if (argc == 4) std::cout << argv[2] << ": " << start(argv[1], argv[2], unsigned(std::atoi(argv[3]))) << std::endl;
    else return 2;
    return 0;
} catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    return 1;
}
