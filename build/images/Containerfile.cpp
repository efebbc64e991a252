# An image for tests of C and C++. With a registry: podman build -t localhost/redgreen/cpp -f Containerfile.cpp .
# Without one: redgreen image build cpp, which takes the packages and ENV lines of this file.
ARG BASE=docker.io/library/debian:stable-slim
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends \
    ca-certificates git gcc g++ make cmake ninja-build libc6-dev libgtest-dev catch2 \
    && rm -rf /var/lib/apt/lists/*
