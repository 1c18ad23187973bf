-- other.lua - what is measured: a queue, matrices, a parser of numbers, string buffers; arg[1] rounds
local function parse(s)
  local at, v = 1, {}
  while at <= #s do
    local a, b = s:find("^%s*[-+]?%d+%.?%d*", at)
    if not a then break end
    v[#v + 1] = tonumber(s:sub(a, b))
    at = b + 1
  end
  return v
end
local Queue = {}
Queue.__index = Queue
function Queue.new() return setmetatable({ first = 1, last = 0, v = {} }, Queue) end
function Queue:push(x) self.last = self.last + 1; self.v[self.last] = x end
function Queue:pop() local x = self.v[self.first]; self.v[self.first] = nil; self.first = self.first + 1; return x end
local sum = 0
for r = 1, tonumber(arg[1]) do
  local q = Queue.new()
  for i = 1, 2000 do q:push(i); if i % 3 == 0 then sum = sum + q:pop() end end
  local a, b, n = {}, {}, 24
  for i = 1, n do a[i], b[i] = {}, {}; for k = 1, n do a[i][k], b[i][k] = i + k, i - k end end
  for i = 1, n do for k = 1, n do local s = 0; for j = 1, n do s = s + a[i][j] * b[j][k] end; sum = sum + s % 7 end end
  local out = {}
  for i = 1, 400 do out[#out + 1] = i * 1.25 .. "" end
  for _, x in ipairs(parse(table.concat(out, " "))) do sum = sum + x end
end
print(sum)
