//! Shapes and their areas.
use std::fmt;

pub const EPSILON: f64 = 1e-9;

/// Anything with an area.
pub trait Area {
    /// In square metres.
    fn area(&self) -> f64;

    fn double(&self) -> f64 {
        self.area() * 2.0
    }
}

/// A circle.
#[derive(Debug, Clone)]
pub struct Circle {
    pub radius: f64,
}

pub struct Unit;

#[derive(Debug)]
pub enum Shape<T> {
    Round(Circle),
    Other(T),
}

pub type Result<T> = std::result::Result<T, fmt::Error>;

impl Circle {
    /// The one of radius 1.
    pub const UNIT: f64 = 1.0;

    // Makes a circle.
    #[inline]
    #[must_use]
    pub fn new(radius: f64) -> Self {
        Circle { radius }
    }
}

impl Area for Circle {
    fn area(&self) -> f64 {
        3.14 * self.radius * self.radius
    }
}

impl<T: fmt::Display> fmt::Display for Shape<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shape")
    }
}

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

pub async fn measure<F>(f: F) -> f64
where
    F: Fn() -> f64,
{
    f()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area_of_unit() {
        assert!(Circle::new(1.0).area() > 3.0);
    }
}

/// Names of shapes.
#[allow(dead_code)]
static NAMES: [&str; 2] = ["a", "b"];
const SIDES: usize = 4;
