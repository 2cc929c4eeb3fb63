# Two stages: the first one installs from hash-locked files, the second one holds only what runs.
FROM python:3.13.7-slim-bookworm AS build
WORKDIR /build
COPY requirements-runtime.lock requirements-build.lock ./
RUN python -m venv /opt/streamqid \
    && /opt/streamqid/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements-runtime.lock \
    && python -m venv /opt/build \
    && /opt/build/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements-build.lock
COPY pyproject.toml README.md LICENSE ./
COPY streamqid streamqid
RUN /opt/build/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /build/wheel . \
    && /opt/streamqid/bin/pip install --no-cache-dir --no-deps /build/wheel/*.whl \
    && /opt/streamqid/bin/pip uninstall --yes pip

FROM python:3.13.7-slim-bookworm
LABEL org.opencontainers.image.title="streamqid" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/streamqid /opt/streamqid
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
# The root file system may be read-only: all that is written goes to the volume, which takes its owner from here.
RUN install -d -o 10001 -g 10001 -m 0700 /var/lib/streamqid
VOLUME ["/var/lib/streamqid"]
WORKDIR /var/lib/streamqid
USER 10001:10001
EXPOSE 8477
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["/opt/streamqid/bin/streamqid", "health", "--config", "/etc/streamqid/streamqid.yaml"]
ENTRYPOINT ["/opt/streamqid/bin/streamqid"]
CMD ["run", "--config", "/etc/streamqid/streamqid.yaml"]
