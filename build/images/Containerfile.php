# An image for tests of PHP. With a registry: podman build -t localhost/redgreen/php -f Containerfile.php .
# Without one: redgreen image build php, which takes the packages and ENV lines of this file.
ARG BASE=docker.io/library/debian:stable-slim
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends \
    ca-certificates git php-cli php-xml php-mbstring phpunit composer \
    && rm -rf /var/lib/apt/lists/*
