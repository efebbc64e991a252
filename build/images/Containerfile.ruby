# An image for tests of Ruby. With a registry: podman build -t localhost/redgreen/ruby -f Containerfile.ruby .
# Without one: redgreen image build ruby, which takes the packages and ENV lines of this file.
ARG BASE=docker.io/library/debian:stable-slim
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends \
    ca-certificates git ruby ruby-rspec ruby-minitest bundler rake \
    && rm -rf /var/lib/apt/lists/*
