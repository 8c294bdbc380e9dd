-- Run by wrk. Its arguments: a file of request heads and one of request tails, with zero bytes between
-- them, a file of indexes of tails, one a line, and a seed. Joining two strings costs less than keeping all pairs of them.
local heads, tails, draws = {}, {}, {}

local function read(name)
  local file = assert(io.open(name, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

function init(args)
  for head in read(args[1]):gmatch('[^%z]+') do heads[#heads + 1] = head end
  for tail in read(args[2]):gmatch('[^%z]+') do tails[#tails + 1] = tail end
  for draw in read(args[3]):gmatch('%d+') do draws[#draws + 1] = tails[tonumber(draw) + 1] end
  math.randomseed(tonumber(args[4]))
end

function request()
  return heads[math.random(#heads)] .. draws[math.random(#draws)]
end

function done(summary)
  local errors = summary.errors
  io.write(string.format(
    '{"answers":%d,"seconds":%.6f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
