// pugi.cpp - an XML document is made, parsed, asked and written: pugi ROUNDS SEED
#include "pugixml.hpp"
#include <cstdio>
#include <cstdlib>
#include <string>

struct to_string : pugi::xml_writer {
    std::string text;
    void write(const void *data, size_t size) override { text.append(static_cast<const char *>(data), size); }
};

static std::string document(unsigned seed)
{
    std::string s = "<?xml version=\"1.0\"?><shop>";
    for (unsigned i = 0; i < 150; i++) {
        const std::string n = std::to_string(i * seed % 97);
        s += "<item id=\"" + n + "\" kind=\"" + (i % 3 ? "book" : "disc &amp; sleeve") + "\"><price>" + n + ".50</price>";
        if (i % (4 + seed) == 0) s += "<!-- sold out --><note>a &lt; b &#x41;</note>";
        s += "</item>\n";
    }
    return s + "</shop>";
}

int main(int argc, char **argv)
{
    const unsigned rounds = argc > 1 ? std::atoi(argv[1]) : 1, seed = argc > 2 ? std::atoi(argv[2]) : 1;
    const std::string text = document(seed);
    double sum = 0;
    for (unsigned r = 0; r < rounds; r++) {
        pugi::xml_document doc;
        if (!doc.load_buffer(text.data(), text.size())) return 1;
        for (pugi::xml_node item : doc.child("shop").children("item")) sum += item.child("price").text().as_double();
        sum += static_cast<double>(doc.select_nodes("/shop/item[@kind='book'][price > 40]").size());
        try { doc.select_node("/shop/["); } catch (const pugi::xpath_exception &) { sum += 1; }
        to_string out;
        doc.save(out);
        sum += static_cast<double>(out.text.size());
    }
    std::printf("%.1f\n", sum);
    return 0;
}
