/* kinds.hpp - a kind of records for each number, with fields of its own */
#pragma once
#include "app.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iomanip>
#include <list>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>

using text = std::string;
using field_types =
    std::tuple<bool, std::int16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double, text,
               std::vector<int>, std::vector<double>, std::vector<text>, std::map<text, int>, std::map<text, double>,
               std::array<float, 3>, std::array<int, 4>, std::pair<int, text>, std::set<text>, std::deque<int>,
               std::list<text>, std::map<text, std::vector<int>>, std::vector<std::pair<text, double>>>;
using slim_json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int32_t, std::uint32_t, float>;

template <unsigned N> constexpr std::size_t fields = 5 + mix(N, 99) % 7;
template <unsigned N, std::size_t I>
using field = std::tuple_element_t<mix(N, I) % std::tuple_size_v<field_types>, field_types>;
template <unsigned N, class S> struct fields_of;
template <unsigned N, std::size_t... I> struct fields_of<N, std::index_sequence<I...>> {
    using type = std::tuple<field<N, I>...>;
};
template <unsigned N> struct record {
    typename fields_of<N, std::make_index_sequence<fields<N>>>::type f;
};
template <unsigned N>
using json_of = std::conditional_t<N % 3 == 0, nlohmann::json,
                                   std::conditional_t<N % 3 == 1, nlohmann::ordered_json, slim_json>>;

inline const char *const field_names[] = {"id",    "name",  "size",   "state", "owner", "parts",
                                          "place", "price", "weight", "tags",  "notes", "links"};

/* ----- the fields, by type ----- */

template <class T> struct is_pair : std::false_type {};
template <class A, class B> struct is_pair<std::pair<A, B>> : std::true_type {};
template <class T, class = void> struct is_map : std::false_type {};
template <class T> struct is_map<T, std::void_t<typename T::mapped_type>> : std::true_type {};
template <class T, class = void> struct is_range : std::false_type {};
template <class T> struct is_range<T, std::void_t<typename T::iterator>> : std::true_type {};
template <class T> constexpr bool is_text = std::is_same_v<T, text>;
template <class T> constexpr bool is_array = false;
template <class T, std::size_t N> constexpr bool is_array<std::array<T, N>> = true;

template <class T> T made(unsigned seed)
{
    if constexpr (std::is_arithmetic_v<T>) return T(mix(seed, 1) % 100);
    else if constexpr (is_text<T>) return "text" + std::to_string(mix(seed, 2) % 1000);
    else if constexpr (is_pair<T>::value) return T(made<typename T::first_type>(seed), made<typename T::second_type>(seed + 1));
    else if constexpr (is_array<T>) {
        T x;
        for (auto &e : x) e = made<typename T::value_type>(seed++);
        return x;
    } else {
        using value = typename T::value_type;
        T x;
        for (unsigned i = 0; i < 2 + seed % 3; i++) {
            if constexpr (is_map<T>::value) x[made<text>(seed + i)] = made<typename T::mapped_type>(seed + i);
            else x.insert(x.end(), made<value>(seed + i));
        }
        return x;
    }
}

template <class T> double number(const T &x)
{
    if constexpr (std::is_arithmetic_v<T>) return double(x);
    else if constexpr (is_pair<T>::value) return number(x.first) + number(x.second);
    else if constexpr (is_text<T>) return double(x.size());
    else return std::accumulate(x.begin(), x.end(), 0.0, [](double a, const auto &e) { return a * 0.5 + number(e); });
}

template <class T> void pack(std::string &out, const T &x)
{
    if constexpr (std::is_arithmetic_v<T>) out.append(reinterpret_cast<const char *>(&x), sizeof x);
    else if constexpr (is_pair<T>::value) {
        pack(out, x.first);
        pack(out, x.second);
    } else {
        pack(out, std::uint32_t(x.size()));
        for (const auto &e : x) pack(out, e);
    }
}

struct packed {
    const char *at, *end;
};

template <class T> void unpack(packed &in, T &x)
{
    if constexpr (std::is_arithmetic_v<T>) {
        if (std::size_t(in.end - in.at) < sizeof x) throw std::runtime_error("packed records end too early");
        std::memcpy(&x, in.at, sizeof x);
        in.at += sizeof x;
    } else if constexpr (is_pair<T>::value) {
        unpack(in, const_cast<std::remove_const_t<typename T::first_type> &>(x.first));
        unpack(in, x.second);
    } else {
        std::uint32_t n;
        unpack(in, n);
        if constexpr (is_array<T>) {
            for (auto &e : x) unpack(in, e);
        } else if constexpr (is_map<T>::value) {
            for (x.clear(); n > 0; n--) {
                text key;
                unpack(in, key);
                unpack(in, x[key]);
            }
        } else {
            for (x.clear(); n > 0; n--) {
                typename T::value_type e{};
                unpack(in, e);
                x.insert(x.end(), std::move(e));
            }
        }
    }
}

template <class T> void print(std::ostream &out, const T &x)
{
    if constexpr (std::is_floating_point_v<T>) out << std::setprecision(4) << x;
    else if constexpr (std::is_arithmetic_v<T> || is_text<T>) out << x;
    else if constexpr (is_pair<T>::value) {
        print(out, x.first);
        out << '=';
        print(out, x.second);
    } else {
        const char *between = "{";
        for (const auto &e : x) {
            out << between;
            print(out, e);
            between = ", ";
        }
        out << '}';
    }
}

template <class T> bool valid(const T &x)
{
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(x) && x >= 0;
    else if constexpr (std::is_arithmetic_v<T>) return x < 1000;
    else if constexpr (is_text<T>) return x.size() < 100 && x.find('\n') == text::npos;
    else if constexpr (is_pair<T>::value) return valid(x.first) && valid(x.second);
    else return std::all_of(x.begin(), x.end(), [](const auto &e) { return valid(e); });
}

template <class T> std::size_t hashed(const T &x, std::size_t h)
{
    if constexpr (std::is_arithmetic_v<T>) return (h ^ std::hash<T>()(x)) * 1099511628211u;
    else if constexpr (is_text<T>) return (h ^ std::hash<T>()(x)) * 1099511628211u;
    else if constexpr (is_pair<T>::value) return hashed(x.second, hashed(x.first, h));
    else {
        for (const auto &e : x) h = hashed(e, h);
        return h;
    }
}

/* ----- reading: events of rapidjson's reader go to the field they belong to ----- */

struct place {                  /* in a field: the keys of the objects around, elements so far in the arrays around */
    std::vector<text> keys;
    std::vector<std::size_t> counts;
};

template <class T, class V> void put(T &x, const V &v, const place &p, std::size_t depth)
{
    if constexpr (std::is_arithmetic_v<T>) {
        if constexpr (std::is_arithmetic_v<V>) x = T(v);
        else throw std::runtime_error("a number was expected");
    } else if constexpr (is_text<T>) {
        if constexpr (std::is_arithmetic_v<V>) throw std::runtime_error("a string was expected");
        else x = v;
    } else if constexpr (is_map<T>::value) put(x[p.keys.at(depth)], v, p, depth + 1);
    else if constexpr (is_pair<T>::value) {
        if (p.counts.at(depth) == 0) put(x.first, v, p, depth + 1);
        else put(x.second, v, p, depth + 1);
    } else if constexpr (is_array<T>) put(x.at(p.counts.at(depth)), v, p, depth + 1);
    else if constexpr (std::is_same_v<T, std::set<text>>) {
        text e;
        put(e, v, p, depth + 1);
        x.insert(e);
    } else {
        if (p.counts.at(depth) >= x.size()) x.emplace_back();
        put(x.back(), v, p, depth + 1);
    }
}

template <unsigned N> struct handler : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, handler<N>> {
    std::vector<record<N>> out;
    place p;
    std::size_t at = 0;

    template <class V, std::size_t... I> bool value(const V &v, std::index_sequence<I...>)
    {
        record<N> &r = out.back();
        (void)((I == at && (put(std::get<I>(r.f), v, p, 0), true)) || ...);
        if (!p.counts.empty()) p.counts.back()++;
        return true;
    }
    template <class V> bool value(const V &v) { return value(v, std::make_index_sequence<fields<N>>()); }
    bool Bool(bool v) { return value(v); }
    bool Int(int v) { return value(v); }
    bool Uint(unsigned v) { return value(v); }
    bool Int64(std::int64_t v) { return value(v); }
    bool Uint64(std::uint64_t v) { return value(v); }
    bool Double(double v) { return value(v); }
    bool String(const char *s, rapidjson::SizeType n, bool) { return value(text(s, n)); }
    bool Key(const char *s, rapidjson::SizeType n, bool)
    {
        if (!p.keys.empty()) p.keys.back().assign(s, n);
        else
            for (at = 0; at < fields<N> && text(s, n) != field_names[at];) at++;
        return true;
    }
    bool StartObject()
    {
        if (opened) nest();
        else {
            out.emplace_back();
            opened = true;
        }
        return true;
    }
    bool EndObject(rapidjson::SizeType)
    {
        if (p.keys.empty()) opened = false;
        else unnest();
        return true;
    }
    bool StartArray()
    {
        if (opened) nest();
        return true;
    }
    bool EndArray(rapidjson::SizeType)
    {
        if (opened) unnest();
        return true;
    }

private:
    bool opened = false;
    void nest()
    {
        p.keys.emplace_back();
        p.counts.push_back(0);
    }
    void unnest()
    {
        p.keys.pop_back();
        p.counts.pop_back();
        if (!p.counts.empty()) p.counts.back()++;
    }
};

template <class W, class T> void write(W &w, const T &x)
{
    if constexpr (std::is_same_v<T, bool>) w.Bool(x);
    else if constexpr (std::is_floating_point_v<T>) w.Double(double(x));
    else if constexpr (std::is_signed_v<T>) w.Int64(x);
    else if constexpr (std::is_arithmetic_v<T>) w.Uint64(x);
    else if constexpr (is_text<T>) w.String(x.data(), rapidjson::SizeType(x.size()));
    else if constexpr (is_map<T>::value) {
        w.StartObject();
        for (const auto &e : x) {
            w.Key(e.first.data(), rapidjson::SizeType(e.first.size()));
            write(w, e.second);
        }
        w.EndObject();
    } else if constexpr (is_pair<T>::value) {
        w.StartArray();
        write(w, x.first);
        write(w, x.second);
        w.EndArray();
    } else {
        w.StartArray();
        for (const auto &e : x) write(w, e);
        w.EndArray();
    }
}

/* ----- a kind ----- */

template <unsigned N, std::size_t I> struct by {
    bool operator()(const record<N> &a, const record<N> &b) const { return std::get<I>(a.f) < std::get<I>(b.f); }
};

template <class T, std::size_t R, std::size_t C> struct matrix {
    std::array<std::array<T, C>, R> e{};
    template <std::size_t K> matrix<T, R, K> operator*(const matrix<T, C, K> &o) const
    {
        matrix<T, R, K> out;
        for (std::size_t i = 0; i < R; i++)
            for (std::size_t j = 0; j < K; j++)
                for (std::size_t k = 0; k < C; k++) out.e[i][j] += e[i][k] * o.e[k][j];
        return out;
    }
    matrix<T, C, R> transposed() const
    {
        matrix<T, C, R> out;
        for (std::size_t i = 0; i < R; i++)
            for (std::size_t j = 0; j < C; j++) out.e[j][i] = e[i][j];
        return out;
    }
    T determinant() const
    {
        matrix m = *this;
        T d = 1;
        for (std::size_t i = 0; i < R; i++) {
            std::size_t best = i;
            for (std::size_t k = i; k < R; k++)
                if (std::abs(m.e[k][i]) > std::abs(m.e[best][i])) best = k;
            if (m.e[best][i] == 0) return 0;
            if (best != i) std::swap(m.e[best], m.e[i]), d = -d;
            d *= m.e[i][i];
            for (std::size_t k = i + 1; k < R; k++) {
                const T q = m.e[k][i] / m.e[i][i];
                for (std::size_t j = i; j < C; j++) m.e[k][j] -= q * m.e[i][j];
            }
        }
        return d;
    }
};

template <unsigned N> struct kind_of final : kind {
    static constexpr auto all = std::make_index_sequence<fields<N>>();
    using json = json_of<N>;
    std::vector<record<N>> records;

    kind_of() : kind(N) {}

    template <class F, std::size_t... I> static void each(F f, std::index_sequence<I...>)
    {
        (f(std::integral_constant<std::size_t, I>()), ...);
    }
    template <class F> static void each(F f) { each(f, all); }

    void make(unsigned count) override
    {
        records.clear();
        for (unsigned i = 0; i < count; i++) {
            record<N> r;
            each([&](auto k) { std::get<k>(r.f) = made<field<N, k>>(mix(i, k + N)); });
            records.push_back(std::move(r));
        }
    }
    std::string write_json() const override
    {
        json out = json::array();
        for (const record<N> &r : records) {
            json object = json::object();
            each([&](auto k) { object[field_names[k]] = std::get<k>(r.f); });
            out.push_back(std::move(object));
        }
        return out.dump(N % 2 ? 2 : -1);
    }
    void read_json(const std::string &from) override
    {
        const json in = json::parse(from);
        records.clear();
        for (const auto &object : in) {
            record<N> r;
            each([&](auto k) { object.at(field_names[k]).get_to(std::get<k>(r.f)); });
            records.push_back(std::move(r));
        }
    }
    template <class W> std::string written() const
    {
        rapidjson::StringBuffer buffer;
        W w(buffer);
        w.StartArray();
        for (const record<N> &r : records) {
            w.StartObject();
            each([&](auto k) {
                w.Key(field_names[k]);
                write(w, std::get<k>(r.f));
            });
            w.EndObject();
        }
        w.EndArray();
        return std::string(buffer.GetString(), buffer.GetSize());
    }
    std::string write_fast() const override
    {
        if (N % 2) return written<rapidjson::PrettyWriter<rapidjson::StringBuffer>>();
        return written<rapidjson::Writer<rapidjson::StringBuffer>>();
    }
    void read_fast(const std::string &from) override
    {
        rapidjson::Reader reader;
        rapidjson::StringStream in(from.c_str());
        handler<N> h;
        if (reader.Parse(in, h).IsError()) throw std::runtime_error("not JSON");
        records = std::move(h.out);
    }
    std::string pack() const override
    {
        std::string out;
        ::pack(out, std::uint32_t(records.size()));
        for (const record<N> &r : records) each([&](auto k) { ::pack(out, std::get<k>(r.f)); });
        return out;
    }
    void unpack(const std::string &from) override
    {
        packed in = {from.data(), from.data() + from.size()};
        std::uint32_t n;
        ::unpack(in, n);
        records.assign(n, record<N>());
        for (record<N> &r : records) each([&](auto k) { ::unpack(in, std::get<k>(r.f)); });
    }
    std::size_t sort(unsigned by_field) override
    {
        each([&](auto k) {
            if (k != by_field % fields<N>) return;
            if (k % 3 == 0) std::sort(records.begin(), records.end(), by<N, k>());
            else if (k % 3 == 1) std::stable_sort(records.begin(), records.end(), by<N, k>());
            else std::partial_sort(records.begin(), records.begin() + std::ptrdiff_t(records.size() / 2), records.end(), by<N, k>());
        });
        return records.size();
    }
    std::size_t index(unsigned by_field) const override
    {
        std::size_t n = 0;
        each([&](auto k) {
            if (k != by_field % fields<N>) return;
            std::map<field<N, k>, std::vector<const record<N> *>> found;
            for (const record<N> &r : records) found[std::get<k>(r.f)].push_back(&r);
            n = found.size();
        });
        return n;
    }
    double query(unsigned by_field, unsigned sum) const override
    {
        double out = 0;
        each([&](auto k) {
            if (k != by_field % fields<N>) return;
            std::vector<record<N>> chosen;
            std::copy_if(records.begin(), records.end(), std::back_inserter(chosen),
                         [&](const record<N> &r) { return number(std::get<k>(r.f)) >= 1; });
            each([&](auto s) {
                if (s != sum % fields<N>) return;
                std::map<double, double> groups;
                for (const record<N> &r : chosen) groups[number(std::get<k>(r.f))] += number(std::get<s>(r.f));
                for (const auto &g : groups) out += g.second;
            });
        });
        return out;
    }
    double relate() const override
    {
        constexpr std::size_t rows = fields<N> + N % 4;
        using number_type = std::conditional_t<N % 2 == 0, double, float>;
        matrix<number_type, rows, fields<N>> m;
        for (std::size_t i = 0; i < rows && i < records.size(); i++)
            each([&](auto k) { m.e[i][k] = number_type(number(std::get<k>(records[i].f)) / 100); });
        const auto product = m.transposed() * m;
        return double(product.determinant());
    }
    std::string print() const override
    {
        std::ostringstream out;
        out << std::boolalpha << "kind " << N << ", " << records.size() << " records\n";
        for (const record<N> &r : records)
            each([&](auto k) {
                out << std::setw(8) << field_names[k] << ": ";
                ::print(out, std::get<k>(r.f));
                out << '\n';
            });
        return out.str();
    }
    std::string csv() const override
    {
        std::string out;
        char number_text[40];
        for (const record<N> &r : records)
            each([&](auto k) {
                if constexpr (is_text<field<N, k>>) out += '"' + std::get<k>(r.f) + '"';
                else {
                    std::snprintf(number_text, sizeof number_text, "%.6g", number(std::get<k>(r.f)));
                    out += number_text;
                }
                out += k + 1 < fields<N> ? ',' : '\n';
            });
        return out;
    }
    std::size_t validate() const override
    {
        std::size_t bad = 0;
        for (const record<N> &r : records) each([&](auto k) { bad += !valid(std::get<k>(r.f)); });
        return bad;
    }
    std::size_t compare(std::size_t a, std::size_t b) const override
    {
        std::size_t differ = 0;
        each([&](auto k) { differ += !(std::get<k>(records.at(a).f) == std::get<k>(records.at(b).f)); });
        return differ;
    }
    std::size_t hash() const override
    {
        std::size_t h = 14695981039346656037u;
        for (const record<N> &r : records) each([&](auto k) { h = hashed(std::get<k>(r.f), h); });
        return h;
    }
};
