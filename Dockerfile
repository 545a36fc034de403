# steelyard in a container: the command is the entry point, and /work holds a benchmark that runs offline.
#
#   docker build --tag steelyard .
#   docker run --rm steelyard                                            # the starter
#   docker run --rm -u "$(id -u):$(id -g)" -v "$PWD:/work" steelyard run my_benchmark.yaml

FROM python:3.12-slim-bookworm AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY plugins/builtins plugins/builtins
RUN pip wheel --no-cache-dir --wheel-dir /wheels .

FROM python:3.12-slim-bookworm
LABEL org.opencontainers.image.title="steelyard" \
      org.opencontainers.image.description="Which prompt and which model is best on your own data" \
      org.opencontainers.image.licenses="MIT"
ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUTF8=1
# Only what the build stage has made goes in, so that this step needs no network and cannot fetch anything else.
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links=/wheels /wheels/steelyard-*.whl
RUN useradd --create-home --uid 1000 steelyard && \
    install --directory --owner=steelyard --group=steelyard /work
COPY --chown=steelyard:steelyard benchmarks/quickstart.yaml /work/benchmarks/quickstart.yaml
# Programs that are told to write results need a folder that is theirs, and none of them has to be root.
USER 1000
WORKDIR /work
ENTRYPOINT ["steelyard"]
CMD ["run"]
