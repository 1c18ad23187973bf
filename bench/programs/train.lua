-- train.lua - what Lua is profiled with: text, tables, closures; arg[1] rounds
local function words(s)
  local n = {}
  for w in s:gmatch("%a+") do n[w] = (n[w] or 0) + 1 end
  return n
end
local function sorted(n)
  local keys = {}
  for k in pairs(n) do keys[#keys + 1] = k end
  table.sort(keys, function(a, b) if n[a] ~= n[b] then return n[a] > n[b] end return a < b end)
  return keys
end
local text = ("it was the best of times it was the worst of times it was the age of wisdom "):rep(8)
local sum = 0
for r = 1, tonumber(arg[1]) do
  local keys = sorted(words(text))
  sum = sum + #table.concat(keys, " ")
  local account = setmetatable({ balance = r }, { __index = { add = function(self, v) self.balance = self.balance + v end } })
  for i = 1, 300 do account:add(i % 7) end
  sum = sum + account.balance
  local t = {}
  for i = 1, 300 do t[i] = i * 3.5 // 1 end
  for i = 2, #t do t[i] = t[i] ~ t[i - 1] & 0xff end
  sum = sum + #string.format("%5.2f %s %d", r / 3, keys[1], t[10])
end
print(sum)
