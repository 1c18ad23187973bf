/* driver.c - a program that does the same work again and again, and says what each round took
 *
 *     driver SECONDS [KIND [ROUNDS]]   lines: the second at which a round began, its CPU milliseconds; on stderr the
 *                                      number of rounds and a sum of all results
 *
 * WITH_LUA: an interpreter runs a script; WITH_LZ4: a compressor; WITH_EXPAT: an XML parser. Several: all in turn.
 * KIND: 0 or 1, two inputs. A profile of one is used for the other.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned kind;              /* of input: 0 or 1 */

static unsigned hash(unsigned h, const void *data, size_t size)
{
    const unsigned char *p = (const unsigned char *)data;
    while (size-- > 0) h = (h ^ *p++) * 16777619u;
    return h;
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

/* ----- an interpreter ----- */

#ifdef WITH_LUA
#include "lua.h"
#include "lualib.h"
#include "lauxlib.h"

static const char script[] =
    "local function words(n, seed)\n"
    "  local t = {}\n"
    "  for i = 1, n do seed = (seed * 1103515245 + 12345) % 2147483648; t[i] = 'w' .. (seed // 65536) % 977 end\n"
    "  return t\n"
    "end\n"
    "local Stack = {}\n"
    "Stack.__index = Stack\n"
    "function Stack.new() return setmetatable({ n = 0 }, Stack) end\n"
    "function Stack:push(v) self.n = self.n + 1; self[self.n] = v end\n"
    "function Stack:pop() local v = self[self.n]; self[self.n] = nil; self.n = self.n - 1; return v end\n"
    "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end\n"
    "function work(n, seed)\n"
    "  local count, s, total = {}, Stack.new(), 0\n"
    "  for _, w in ipairs(words(n, seed)) do count[w] = (count[w] or 0) + 1 end\n"
    "  local keys = {}\n"
    "  for k in pairs(count) do keys[#keys + 1] = k end\n"
    "  table.sort(keys, function(a, b) if count[a] ~= count[b] then return count[a] > count[b] end return a < b end)\n"
    "  for i = 1, n do s:push(i * 3 % 7); if i % 3 == 0 then total = total + s:pop() * s:pop() end end\n"
    "  local text = table.concat(keys, ' ', 1, math.min(#keys, 100))\n"
    "  for w in text:gmatch('%a(%d+)') do total = total + tonumber(w) end\n"
    "  return total + fib(15 + seed % 3) + #text\n"
    "end\n";

static unsigned work_lua(unsigned round)
{
    static lua_State *L;
    unsigned result;
    if (L == NULL) {
        L = luaL_newstate();
        luaL_openlibs(L);
        if (luaL_dostring(L, script)) exit(1);
    }
    lua_getglobal(L, "work");
    lua_pushinteger(L, kind ? 9000 : 5000);
    lua_pushinteger(L, (lua_Integer)(round % 50 + 100 * kind));
    if (lua_pcall(L, 2, 1, 0)) exit(1);
    result = (unsigned)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return result;
}
#endif

/* ----- a compressor ----- */

#ifdef WITH_LZ4
#include "lz4.h"
#include "lz4hc.h"

static unsigned work_lz4(unsigned round)
{
    static const char *const word[] = { "profile", "context", "call",  "the",    "of",
                                        "a",       "inline",  "count", "sample", "to" };
    static char text[100000], packed[120000], again[100000];
    const size_t most = sizeof text - 32;
    unsigned state = round % 50 + 1000 * kind, result;
    size_t n = 0;
    int size;
    while (n < most) {
        const char *const w = word[next_random(&state) % 10];
        memcpy(text + n, w, strlen(w));
        n += strlen(w);
        text[n++] = kind ? '=' : ' ';
        if (next_random(&state) % 4 == 0) text[n++] = (char)('0' + state % 61 % 75);
    }
    size = LZ4_compress_HC(text, packed, (int)n, sizeof packed, 9);
    result = hash(2166136261u, packed, (size_t)size);
    size = LZ4_compress_default(text, packed, (int)n, sizeof packed);
    if (LZ4_decompress_safe(packed, again, size, sizeof again) != (int)n || memcmp(text, again, n) != 0) exit(1);
    return result + (unsigned)size;
}
#endif

/* ----- an XML parser ----- */

#ifdef WITH_EXPAT
#include "expat.h"

static unsigned seen;

static void on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    (void)data;
    seen = hash(seen, name, strlen(name));
    for (; *attributes != NULL; attributes += 2) seen = hash(seen, attributes[1], strlen(attributes[1]));
}

static void on_end(void *data, const XML_Char *name)
{
    (void)data;
    seen += (unsigned char)name[0];
}

static void on_text(void *data, const XML_Char *text, int size)
{
    (void)data;
    seen = hash(seen, text, (size_t)size);
}

static unsigned work_expat(unsigned round)
{
    static char text[400000];
    static size_t size;
    static unsigned made = ~0u;
    XML_Parser p = XML_ParserCreate(NULL);
    if (made != round % 5) {
        unsigned state = round % 5 + 100 * kind, i;
        made = round % 5;
        size = (size_t)sprintf(text, "<?xml version='1.0'?>\n<list kind='%u'>\n", kind);
        for (i = 0; size < sizeof text - 1000; i++)
            size += (size_t)sprintf(text + size,
                                    i % 7 == 0 ? "<!-- %u --><group id='g%u'><p>%u &lt; %u</p></group>\n"
                                               : "<item id='%u' name=\"n%u\">text %u of <b>%u</b></item>\n",
                                    i, next_random(&state) % 1000, next_random(&state), next_random(&state));
        size += (size_t)sprintf(text + size, "</list>\n");
    }
    seen = round;
    XML_SetElementHandler(p, on_start, on_end);
    XML_SetCharacterDataHandler(p, on_text);
    XML_SetHashSalt(p, 1);
    if (XML_Parse(p, text, (int)size, 1) != XML_STATUS_OK) exit(1);
    XML_ParserFree(p);
    return seen;
}
#endif

/* ----- rounds ----- */

static unsigned work(unsigned round)
{
    unsigned sum = 0;
#ifdef WITH_LUA
    sum += work_lua(round);
#endif
#ifdef WITH_LZ4
    sum += work_lz4(round);
#endif
#ifdef WITH_EXPAT
    sum += work_expat(round);
#endif
    return sum;
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? atof(argv[1]) : 1, begun = now(CLOCK_MONOTONIC);
    const unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : ~0u;
    unsigned i, sum = 0;
    kind = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    for (i = 0; i < rounds && now(CLOCK_MONOTONIC) - begun < seconds; i++) {
        const double at = now(CLOCK_MONOTONIC) - begun, cpu = now(CLOCK_THREAD_CPUTIME_ID);
        sum = sum * 31 + work(i);
        printf("%.3f %.3f\n", at, (now(CLOCK_THREAD_CPUTIME_ID) - cpu) * 1e3);
    }
    fprintf(stderr, "%u rounds, sum %08x\n", i, sum);
    return 0;
}
