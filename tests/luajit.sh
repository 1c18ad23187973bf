#!/bin/sh
# examples/luajit.c: a Lua script's contexts, from LuaJIT's profiler. A function that is called in two ways does three times
# as much in one of them.
cd "$(dirname "$0")" || exit 1
. ./t.sh
B=build/luajit
T=build/plain/csspgo
I=${LUAJIT:-/usr/include/luajit-2.1}
make -s $T || { fail "the tool does not build"; finish; }
[ -f $I/luajit.h ] || { skip "luajit.c: needs libluajit-5.1-dev"; finish; }
rm -rf $B; mkdir -p $B
${CC:-cc} -std=c99 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I$I -DCSSPGO_IMPLEMENTATION_INCLUDED -o $B/luajit ../examples/luajit.c build/plain/lib.o \
    -lluajit-5.1 $LIBZ -lm 2>$B/err || { fail "luajit.c does not build"; head -5 $B/err; finish; }
cat >$B/hot.lua <<'END'
local function leaf(n)
  local s = 0
  for i = 1, n do s = (s * 33 + i) % 65521 end
  return s
end
local function often(n) local r = leaf(3 * n); return r end
local function seldom(n) local r = leaf(n); return r end
local t, x = os.clock(), 0
while os.clock() - t < 0.8 do
  for k = 1, 50 do
    x = x + often(2000)
    x = x + seldom(2000)
  end
end
print(x > 0)
END
cat >$B/deep.lua <<'END'
local function down(n) if n == 0 then return 1 end local r = down(n - 1) + 1; return r end
local co = coroutine.wrap(function() while true do coroutine.yield(down(60)) end end)
local t, x = os.clock(), 0
while os.clock() - t < 0.2 do x = x + down(150) + co() + #string.rep("x", 100) + select("#", pcall(down, 20)) end
print(x > 0)
END
for s in hot deep; do
    $B/luajit $B/$s.lua $B/$s.prof >$B/$s.out 2>$B/$s.err
    check "$s.lua runs" grep -qx true $B/$s.out
    check "$s.lua: samples" grep -q '^[1-9][0-9]* samples, 0 lost' $B/$s.err
    check "$s.lua: a profile" $T show $B/$s.prof
done
$T folded $B/hot.prof -o $B/folded 2>$B/err
check "the contexts of leaf, and their shares" awk '/;hot.lua:often;hot.lua:leaf / { often = $NF } /;hot.lua:seldom;hot.lua:leaf / { seldom = $NF }
    END { print often, seldom; exit !(seldom > 0 && often > 1.5 * seldom) }' $B/folded
check "a picture" $T flame $B/deep.prof -o $B/deep.svg
echo 'error("told")' >$B/bad.lua
$B/luajit $B/bad.lua $B/x >$B/out 2>&1
check "a script that fails" grep -q 'bad.lua:1: told' $B/out
finish
