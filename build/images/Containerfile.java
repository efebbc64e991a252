# An image for tests of Java. With a registry: podman build -t localhost/redgreen/java -f Containerfile.java .
# Without one: redgreen image build java, which takes the packages and ENV lines of this file.
ARG BASE=docker.io/library/debian:stable-slim
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends \
    ca-certificates git default-jdk-headless maven \
    && rm -rf /var/lib/apt/lists/*
ENV JAVA_HOME=/usr/lib/jvm/default-java
