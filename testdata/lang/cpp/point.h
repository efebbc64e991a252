#pragma once

namespace geo {

class Point {
public:
    double x() const { return x_; }

private:
    double x_;
};

}  // namespace geo
