/* documents.cpp - a document is changed by a patch, checked against a schema and sent in binary forms */
#include "app.hpp"

#include <nlohmann/json.hpp>
#include <rapidjson/document.h>
#include <rapidjson/pointer.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

using nlohmann::json;

static double binary(const json &d, unsigned seed)
{
    switch (seed % 4) {
    case 0: return double(json::from_cbor(json::to_cbor(d)).size());
    case 1: return double(json::from_msgpack(json::to_msgpack(d)).size());
    case 2: return double(json::from_ubjson(json::to_ubjson(d)).size());
    default: return double(json::from_bson(json::to_bson(d)).size());
    }
}

static double checked(const std::string &text)
{
    static const char schema_text[] = R"({"type": "object", "required": ["title", "parts"], "properties": {
        "title": {"type": "string", "minLength": 3}, "parts": {"type": "array", "items": {"type": "number", "minimum": 0}},
        "pages": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}})";
    rapidjson::Document schema, d;
    schema.Parse(schema_text);
    d.Parse(text.c_str(), text.size());
    if (schema.HasParseError() || d.HasParseError()) return -1;
    const rapidjson::SchemaDocument compiled(schema);
    rapidjson::SchemaValidator validator(compiled);
    rapidjson::Pointer("/state/checked").Set(d, d.Accept(validator));
    rapidjson::StringBuffer out;
    rapidjson::Writer<rapidjson::StringBuffer> writer(out);
    d.Accept(writer);
    return double(out.GetSize());
}

double documents(unsigned seed)
{
    json d = {{"title", "text"}, {"parts", {1, 2.5, 3}}, {"pages", seed}};
    json changed = d;
    changed["/parts/1"_json_pointer] = seed;
    changed["notes"] = json::array({"new", true, nullptr});
    const json patch = json::diff(d, changed);
    d = d.patch(patch);
    d.merge_patch(json::parse(R"({"pages": null, "state": {"open": true}})"));
    const json flat = d.flatten();
    return binary(flat.unflatten(), seed) + checked(d.dump());
}
