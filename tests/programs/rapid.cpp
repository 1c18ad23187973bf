// rapid.cpp - a driver over rapidjson: SAX and DOM parsing, a handler with virtual calls, pretty printing
#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <cstdio>
#include <string>

struct Sink {
    virtual ~Sink() {}
    virtual void number(double d) = 0;
    virtual void text(const char *s, size_t n) = 0;
};
struct Summing : Sink {
    double sum = 0;
    void number(double d) override { sum += d; }
    void text(const char *, size_t n) override { sum += (double)n; }
};
struct Counting : Sink {
    long n = 0;
    void number(double) override { n++; }
    void text(const char *s, size_t size) override { n += size != 0 ? s[0] : 0; }
};

struct Handler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Handler> {
    Sink *sink;
    explicit Handler(Sink *s) : sink(s) {}
    bool Int(int i) { sink->number(i); return true; }
    bool Uint(unsigned u) { sink->number(u); return true; }
    bool Double(double d) { sink->number(d); return true; }
    bool String(const char *s, rapidjson::SizeType n, bool) { sink->text(s, n); return true; }
};

static std::string generate(unsigned seed)
{
    rapidjson::StringBuffer b;
    rapidjson::Writer<rapidjson::StringBuffer> w(b);
    w.StartArray();
    for (unsigned i = 0; i < 40; i++) {
        seed = seed * 1664525u + 1013904223u;
        w.StartObject();
        w.Key("id");
        w.Uint(seed >> 8);
        w.Key("ratio");
        w.Double((double)(seed % 1000) / 8);
        w.Key("name");
        w.String(seed & 1 ? "odd \"quoted\" one" : "even");
        w.EndObject();
    }
    w.EndArray();
    return b.GetString();
}

static double walk(const rapidjson::Value &v)
{
    double d = 0;
    if (v.IsArray()) for (auto &e : v.GetArray()) d += walk(e);
    else if (v.IsObject()) for (auto &m : v.GetObject()) d += walk(m.value) + m.name.GetStringLength();
    else if (v.IsNumber()) d = v.GetDouble();
    else if (v.IsString()) d = v.GetStringLength();
    return d;
}

int main(int argc, char **)
{
    double sum = 0;
    for (unsigned round = 0; round < 6u + (unsigned)argc; round++) {
        std::string text = generate(round);
        Summing a;
        Counting c;
        Sink *sinks[2] = { &a, &c };
        Handler h(sinks[round % 2]);
        rapidjson::Reader reader;
        rapidjson::StringStream in(text.c_str());
        reader.Parse(in, h);
        rapidjson::Document d;
        d.Parse(text.c_str());
        rapidjson::StringBuffer b;
        rapidjson::PrettyWriter<rapidjson::StringBuffer> w(b);
        d.Accept(w);
        sum += walk(d) + a.sum + (double)c.n + (double)b.GetSize();
    }
    std::printf("%.3f\n", sum);
    return 0;
}
