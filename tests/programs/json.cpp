// json.cpp - a driver over nlohmann-json: parse, build, walk, dump, sort, and errors that are thrown through many frames
#include <nlohmann/json.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using nlohmann::json;

static unsigned rng = 12345;
static unsigned next_random()
{
    rng ^= rng << 13;
    rng ^= rng >> 17;
    rng ^= rng << 5;
    return rng;
}

static json make(int depth)
{
    if (depth == 0) return next_random() % 3 == 0 ? json(next_random() % 1000) : json("s" + std::to_string(next_random() % 50));
    json j = depth % 2 ? json::array() : json::object();
    for (unsigned i = 0; i < 3 + next_random() % 2; i++) {
        if (j.is_array()) j.push_back(make(depth - 1));
        else j["k" + std::to_string(i)] = make(depth - 1);
    }
    return j;
}

static unsigned long weigh(const json &j)
{
    unsigned long n = 1;
    if (j.is_structured()) {
        for (const auto &e : j) n += weigh(e);
    } else if (j.is_string()) {
        n += j.get_ref<const std::string &>().size();
    } else if (j.is_number()) {
        n += j.get<unsigned>() % 7;
    }
    return n;
}

static int broken(const std::string &text)
{
    try {
        return (int)json::parse(text).size();
    } catch (const json::parse_error &e) {
        return -(int)(e.byte % 100);
    } catch (const json::exception &) {
        return -1000;
    }
}

static bool by_dump(const json &a, const json &b)
{
    return a.dump() < b.dump();
}

int main(int argc, char **)
{
    unsigned long sum = 0;
    for (int round = 0; round < 4 + argc; round++) {
        json j = make(4);
        std::string text = j.dump(round % 2 ? 2 : -1);
        json back = json::parse(text);
        sum += weigh(back) + (back == j);
        std::vector<json> parts(back.begin(), back.end());
        std::sort(parts.begin(), parts.end(), by_dump);
        for (size_t cut = 1; cut < text.size() && cut < 90; cut += 13) sum += (unsigned long)broken(text.substr(0, cut));
        json patch = json::diff(j, parts.empty() ? json() : parts[0]);
        sum += patch.size() + (unsigned long)broken("{\"a\":nul}");
    }
    std::printf("%lu\n", sum);
    return 0;
}
