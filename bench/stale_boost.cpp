// stale_boost.cpp - a driver over several of Boost's header libraries, for profiles of one release used on another
#include <boost/algorithm/string.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/circular_buffer.hpp>
#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <boost/crc.hpp>
#include <boost/date_time/gregorian/gregorian_types.hpp>
#include <boost/date_time/posix_time/posix_time.hpp>
#include <boost/dynamic_bitset.hpp>
#include <boost/format.hpp>
#include <boost/geometry.hpp>
#include <boost/geometry/geometries/point_xy.hpp>
#include <boost/geometry/geometries/polygon.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/heap/fibonacci_heap.hpp>
#include <boost/histogram.hpp>
#include <boost/lexical_cast.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions.hpp>
#include <boost/math/tools/roots.hpp>
#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <boost/numeric/ublas/io.hpp>
#include <boost/numeric/ublas/lu.hpp>
#include <boost/polygon/voronoi.hpp>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <boost/rational.hpp>
#include <boost/tokenizer.hpp>
#include <boost/unordered_map.hpp>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

static unsigned state = 12345;
static unsigned next_random()
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static boost::property_tree::ptree make_tree(int depth)
{
    boost::property_tree::ptree t;
    for (unsigned i = 0; i < 2 + next_random() % 3; i++) {
        std::string key = "key" + std::to_string(i);
        if (depth == 0) t.put(key, "some \"text\" & <" + std::to_string(next_random() % 1000) + ">");
        else t.add_child(key, make_tree(depth - 1));
    }
    return t;
}

static size_t trees(int depth)
{
    std::stringstream json, xml;
    boost::property_tree::ptree t = make_tree(depth), back;
    size_t n = 0;
    boost::property_tree::write_json(json, t);
    boost::property_tree::read_json(json, back);
    n += back == t;
    boost::property_tree::write_xml(xml, t);
    back.clear();
    boost::property_tree::read_xml(xml, back);
    n += back.size() + xml.str().size();
    return n;
}

static size_t numbers(int digits)
{
    using boost::multiprecision::cpp_int;
    cpp_int a = 1, b = 3, c;
    for (int i = 0; i < digits; i++) {
        a = a * 1000003 + next_random();
        b = b * 999983 + next_random();
    }
    c = (a * b + a) / (b >> 7) - gcd(a, b);
    c = powm(c, cpp_int(65537), b | 1);
    boost::rational<long> r(1, 3);
    for (int i = 2; i < 20; i++) r += boost::rational<long>(1, i);
    return c.str().size() + (size_t)(r.numerator() % 97);
}

static size_t words(int n)
{
    std::string text;
    boost::unordered_map<std::string, int> count;
    boost::container::flat_map<std::string, int> sorted;
    size_t sum = 0;
    for (int i = 0; i < n; i++) text += (boost::format("w%1%-%2%, ") % (next_random() % 200) % (i % 7)).str();
    boost::tokenizer<boost::char_separator<char>> parts(text, boost::char_separator<char>(", -"));
    for (const auto &w : parts) count[w]++;
    for (const auto &w : count) sorted[boost::to_upper_copy(w.first)] += w.second;
    std::vector<std::string> split;
    boost::split(split, text, boost::is_any_of(" "));
    for (auto &s : split) {
        boost::trim_if(s, boost::is_any_of(","));
        if (boost::starts_with(s, "w1")) sum += boost::lexical_cast<unsigned>(s.substr(1, s.find('-') - 1));
    }
    return sum + sorted.size();
}

static size_t shapes(int n)
{
    namespace bg = boost::geometry;
    typedef bg::model::d2::point_xy<double> point;
    typedef bg::model::box<point> box;
    bg::index::rtree<std::pair<box, int>, bg::index::rstar<8>> tree;
    std::vector<std::pair<box, int>> hit;
    double area = 0;
    for (int i = 0; i < n; i++) {
        const double x = next_random() % 1000, y = next_random() % 1000;
        tree.insert(std::make_pair(box(point(x, y), point(x + 5, y + 5)), i));
    }
    for (int i = 0; i < n; i++) {
        const double x = next_random() % 1000, y = next_random() % 1000;
        hit.clear();
        tree.query(bg::index::intersects(box(point(x, y), point(x + 50, y + 50))), std::back_inserter(hit));
        area += (double)hit.size();
    }
    bg::model::polygon<point> a, b;
    std::vector<bg::model::polygon<point>> both;
    bg::read_wkt("POLYGON((0 0,0 7,4 9,8 6,9 1,5 2,0 0))", a);
    bg::read_wkt("POLYGON((3 -1,2 5,6 8,11 4,7 -2,3 -1))", b);
    bg::correct(a);
    bg::correct(b);
    for (int i = 0; i < n / 20; i++) {
        both.clear();
        bg::intersection(a, b, both);
        for (const auto &p : both) area += bg::area(p);
    }
    return (size_t)area;
}

struct item {
    int id;
    std::string name;
};

static size_t tables(int n)
{
    namespace mi = boost::multi_index;
    mi::multi_index_container<item, mi::indexed_by<mi::ordered_unique<mi::member<item, int, &item::id>>,
                                                   mi::hashed_non_unique<mi::member<item, std::string, &item::name>>>> t;
    boost::heap::fibonacci_heap<unsigned> heap;
    boost::container::small_vector<unsigned, 16> some;
    size_t sum = 0;
    for (int i = 0; i < n; i++) {
        t.insert(item{(int)(next_random() % 5000), "n" + std::to_string(i % 50)});
        heap.push(next_random() % 100000);
        some.push_back(next_random());
        if (i % 3 == 0 && !heap.empty()) heap.pop();
        if (i % 5 == 0) t.erase((int)(next_random() % 5000));
    }
    while (!heap.empty()) {
        sum += heap.top();
        heap.pop();
    }
    return sum + t.size() + t.get<1>().count("n7") + some.size();
}

static size_t paths(int n)
{
    typedef boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                  boost::property<boost::edge_weight_t, int>> graph;
    graph g((size_t)n);
    std::vector<int> far((size_t)n);
    size_t sum = 0;
    for (int i = 0; i < 6 * n; i++) boost::add_edge(next_random() % (unsigned)n, next_random() % (unsigned)n, (int)(next_random() % 100), g);
    boost::dijkstra_shortest_paths(g, 0, boost::distance_map(far.data()));
    for (int d : far) sum += (size_t)d % 1000;
    return sum;
}

static size_t functions(int n)
{
    namespace bm = boost::math;
    double sum = 0;
    for (int i = 1; i < n; i++) {
        const double x = i * 0.37;
        sum += bm::lgamma(x) + bm::erf(x / 9) + bm::beta(x, 2.5) + bm::cyl_bessel_j(2, x) + bm::cyl_neumann(1, x);
        sum += bm::gamma_p(x, x / 2 + 1) + bm::ibeta(x, 3.0, 0.4) + bm::zeta(x + 1.5) + bm::expint(-x) + bm::digamma(x);
        sum += bm::legendre_p(5, x / 1000) + bm::ellint_1(0.3) + bm::cdf(bm::students_t(x + 1), 0.7) + bm::airy_ai(x / 3);
        sum += bm::quantile(bm::students_t(x + 2), 0.2 + 0.5 / (i + 1)) + bm::erf_inv(0.5 / i) + bm::owens_t(0.5, x / 10);
    }
    boost::multiprecision::cpp_dec_float_50 d = 2;
    for (int i = 0; i < n / 10; i++) d = sqrt(d + i) + exp(d / 50) + log(d + 2) + sin(d);
    auto h = boost::histogram::make_histogram(boost::histogram::axis::regular<>(20, 0, 1000), boost::histogram::axis::integer<>(0, 9));
    for (int i = 0; i < 10 * n; i++) h(next_random() % 1000, next_random() % 9);
    boost::numeric::ublas::matrix<double> m(12, 12);
    boost::numeric::ublas::permutation_matrix<size_t> p(12);
    for (size_t i = 0; i < 12; i++)
        for (size_t j = 0; j < 12; j++) m(i, j) = next_random() % 100 + (i == j ? 1000 : 0);
    boost::numeric::ublas::lu_factorize(m, p);
    for (auto &&x : boost::histogram::indexed(h)) sum += *x > 5;
    return (size_t)(sum + m(3, 3)) + d.str().size();
}

static size_t messages(int n)
{
    namespace http = boost::beast::http;
    boost::circular_buffer<char> last(100);
    boost::dynamic_bitset<> bits(1000);
    size_t sum = 0;
    for (int i = 0; i < n; i++) {
        http::request<http::string_body> out;
        std::stringstream text;
        out.method(http::verb::post);
        out.target("/a/" + std::to_string(next_random() % 1000));
        out.set(http::field::host, "example");
        out.set(http::field::user_agent, "x");
        out.body() = std::string(next_random() % 300, 'b');
        out.prepare_payload();
        text << out;
        const std::string s = text.str();
        http::request_parser<http::string_body> in;
        boost::system::error_code e;
        in.eager(true);
        in.put(boost::asio::buffer(s), e);
        sum += in.get().body().size() + in.get().target().size();
        boost::crc_32_type crc;
        crc.process_bytes(s.data(), s.size());
        sum += crc.checksum() % 10;
        for (char c : s) last.push_back(c);
        bits <<= 3;
        bits.set(next_random() % 1000);
        boost::gregorian::date day(2000, 1, 1);
        day += boost::gregorian::days((int)(next_random() % 9000));
        boost::posix_time::ptime t(day, boost::posix_time::seconds((long)(next_random() % 86400)));
        sum += boost::gregorian::to_iso_string(day).size() + boost::posix_time::to_simple_string(t).size();
    }
    return sum + bits.count() + last.size();
}

static size_t diagrams(int n)
{
    namespace bg = boost::geometry;
    typedef bg::model::d2::point_xy<double> point;
    typedef bg::model::polygon<point> polygon;
    std::vector<boost::polygon::point_data<int>> sites;
    boost::polygon::voronoi_diagram<double> v;
    bg::model::multi_polygon<polygon> all, grown;
    bg::model::multi_point<point> cloud;
    polygon hull;
    for (int i = 0; i < n; i++) {
        const int x = (int)(next_random() % 1000), y = (int)(next_random() % 1000);
        sites.push_back(boost::polygon::point_data<int>(x, y));
        bg::append(cloud, point(x, y));
    }
    boost::polygon::construct_voronoi(sites.begin(), sites.end(), &v);
    bg::convex_hull(cloud, hull);
    for (int i = 0; i < n / 20; i++) {
        polygon p;
        bg::model::multi_polygon<polygon> sum;
        const double x = next_random() % 50, y = next_random() % 50;
        bg::append(p.outer(), point(x, y));
        bg::append(p.outer(), point(x, y + 9));
        bg::append(p.outer(), point(x + 7, y + 9));
        bg::append(p.outer(), point(x + 5, y + 4));
        bg::append(p.outer(), point(x + 7, y));
        bg::append(p.outer(), point(x, y));
        bg::union_(all, p, sum);
        all = sum;
    }
    bg::buffer(all, grown, bg::strategy::buffer::distance_symmetric<double>(0.5), bg::strategy::buffer::side_straight(),
               bg::strategy::buffer::join_round(8), bg::strategy::buffer::end_round(8), bg::strategy::buffer::point_circle(8));
    polygon simple;
    bg::simplify(hull, simple, 3.0);
    return v.num_cells() + v.num_edges() + (size_t)bg::area(grown) + bg::num_points(simple) + bg::is_valid(grown) +
           (size_t)bg::distance(point(2000, 2000), hull);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
    size_t sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum += trees(4) + numbers(60) + words(400) + shapes(300) + tables(600) + paths(300) +
               functions(60) + messages(60) + diagrams(200);
    }
    std::printf("%zu\n", sum);
    return 0;
}
