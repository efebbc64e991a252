#include <string>
#include <vector>

namespace io {

// A growing buffer.
template <typename T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(size_t n) : data_(n) {}
    virtual ~Buffer() { clear(); }

    /// Number of elements.
    size_t size() const { return data_.size(); }
    T &at(size_t i);
    Buffer &operator+=(const T &value) {
        data_.push_back(value);
        return *this;
    }

    struct Iterator {
        T *p;
        void next() { ++p; }
    };

private:
    void clear() noexcept { data_.clear(); }
    std::vector<T> data_;
};

template <typename T>
T &Buffer<T>::at(size_t i) {
    return data_[i];
}

enum class Mode { read, write };

struct Options {
    Mode mode = Mode::read;
};

using Bytes = Buffer<unsigned char>;

}  // namespace io

// Reads a whole file.
std::string io::Reader::readAll(const std::string &path) {
    return path;
}

template <typename A>
A *largest(A *a, A *b) {
    return *a > *b ? a : b;
}

io::Reader::~Reader() {}

int main(int argc, char **argv) {
    auto f = [&](int x) { return x; };
    return f(argc);
}
