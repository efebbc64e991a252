# An image for tests of Go. With a registry: podman build -t localhost/redgreen/go -f Containerfile.go .
# Without one: redgreen image build go, which takes the packages and ENV lines of this file.
ARG BASE=docker.io/library/debian:stable-slim
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends \
    ca-certificates git golang-go gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
ENV CGO_ENABLED=1
