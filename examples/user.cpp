// user.cpp - the library in a C++ program: a class that owns a profile, errors as exceptions, functions as a range
//
//     c++ -std=c++11 -O2 user.cpp -o user && ./user app.prof
//
#define CSSPGO_IMPLEMENTATION
#include "../csspgo.h"
#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct free_profile { void operator()(csspgo_profile *p) const { csspgo_profile_free(p); } };
struct free_tracker { void operator()(csspgo_tracker *t) const { csspgo_tracker_free(t); } };

[[noreturn]] void fail(const csspgo_error &e)
{
    throw std::runtime_error("line " + std::to_string(e.line) + ": " + e.message);
}

class profile {
public:
    explicit profile(const std::string &path) : p(csspgo_load_file(path.c_str(), nullptr, &error))
    {
        if (!p) fail(error);
    }
    std::string name(csspgo_func f) const
    {
        std::size_t size = 0;
        const char *text = csspgo_func_name(p.get(), f, &size);
        return text != nullptr ? std::string(text, size) : std::to_string(csspgo_func_guid(p.get(), f));
    }
    std::string context(csspgo_node n) const
    {
        std::string text(csspgo_context_text(p.get(), n, nullptr, 0) + 1, '\0');
        csspgo_context_text(p.get(), n, &text[0], text.size());
        text.pop_back();
        return text;
    }
    template <class F> void each_node(F visit) const
    {
        const csspgo_node root = csspgo_root(p.get());
        for (csspgo_node n = csspgo_node_next(p.get(), root, root); n.id != 0; n = csspgo_node_next(p.get(), root, n))
            visit(n);
    }
    const csspgo_profile *get() const { return p.get(); }
    csspgo_profile *get() { return p.get(); }
    void merge(const profile &other)
    {
        if (csspgo_add_profile(p.get(), other.get(), &error) != CSSPGO_OK) fail(error);
    }

private:
    csspgo_error error;
    std::unique_ptr<csspgo_profile, free_profile> p;
};

struct row {
    std::string context;
    std::uint64_t samples;
};

std::vector<row> hottest(const profile &p)
{
    std::vector<row> rows;
    p.each_node([&](csspgo_node n) {
        std::size_t count = 0;
        const csspgo_body *body = csspgo_get_bodies(p.get(), n, &count);
        std::uint64_t samples = 0;
        for (std::size_t i = 0; i < count; i++) samples += body[i].count;
        if (samples != 0) rows.push_back({ p.context(n), samples });
    });
    std::sort(rows.begin(), rows.end(), [](const row &a, const row &b) {
        return a.samples != b.samples ? a.samples > b.samples : a.context < b.context;
    });
    return rows;
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: user PROFILE...\n");
        return 2;
    }
    try {
        profile p(argv[1]);
        for (int i = 2; i < argc; i++) p.merge(profile(argv[i]));
        for (const row &r : hottest(p))
            std::printf("%12llu  %s\n", static_cast<unsigned long long>(r.samples), r.context.c_str());
        csspgo_error e;
        const std::unique_ptr<csspgo_tracker, free_tracker> t(csspgo_tracker_new(p.get(), nullptr, &e));
        if (!t) fail(e);
        std::printf("hot from %llu on\n", static_cast<unsigned long long>(csspgo_tracker_hot_count(t.get())));
    } catch (const std::exception &e) {
        std::fprintf(stderr, "user: %s\n", e.what());
        return 1;
    }
    return 0;
}
