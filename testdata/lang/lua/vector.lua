local math = require("math")

-- Vector is a point in the plane.
local Vector = {}

-- new makes a vector.
function Vector.new(x, y)
  return setmetatable({ x = x, y = y }, Vector)
end

function Vector:length()
  return math.sqrt(self.x * self.x + self.y * self.y)
end

-- sum adds two.
local function sum(a, b)
  return Vector.new(a.x + b.x, a.y + b.y)
end

local scale = function(v, k)
  return Vector.new(v.x * k, v.y * k)
end

Vector.scale = function(self, k)
  return scale(self, k)
end

return Vector
