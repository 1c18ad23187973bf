-- record.lua - what bench/record.sh has Lua do: sort, match, format, calls; arg[1] rounds of about 0.2 ms
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
local rounds = tonumber(arg[1])
for r = 1, rounds do
  local t, s = {}, 0
  for i = 1, 400 do t[i] = (i * 7919) % 1009 end
  table.sort(t)
  for w in ("the quick brown fox jumps over the lazy dog"):rep(10):gmatch("%a+") do s = s + #w end
  local parts = {}
  for i = 1, 100 do parts[#parts+1] = string.format("%d:%s", i, t[i]) end
  s = s + #table.concat(parts, ",") + fib(12)
  for i = 1, 2000 do s = (s * 31 + i) % 65537 end
end
