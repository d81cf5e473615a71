-- Sends the bodies of a file, one a line, over and over, and counts the answers with a match.
local threads = {}
function setup(thread) threads[#threads + 1] = thread end

function init(arguments)
  lines, at, found = {}, 0, 0
  for line in io.lines(arguments[1]) do lines[#lines + 1] = line end
  wrk.method, wrk.headers["Content-Type"] = "POST", "application/json"
end

function request()
  at = at % #lines + 1
  return wrk.format(nil, nil, nil, lines[at])
end

function response(status, headers, body)
  if body:find('"similarity"', 1, true) then found = found + 1 end
end

function done(summary, latency, requests)
  local found, errors = 0, summary.errors
  for _, thread in ipairs(threads) do found = found + thread:get("found") end
  io.stderr:write(string.format(
    '{"requests":%d,"seconds":%f,"found":%d,"failed":%d,"p50":%f,"p99":%f,"p999":%f,"max":%f}\n',
    summary.requests, summary.duration / 1e6, found,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3,
    latency.max / 1e3))
end
