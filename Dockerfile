# The app in one process, with PyTorch for the CPU. deploy/README.md says how to start it, and deploy/compose.yaml a server for a class.
FROM python:3.11-slim-bookworm AS build
WORKDIR /build
COPY requirements-dev.txt requirements.lock requirements.txt ./
RUN python -m venv --without-pip /opt/lnviz && pip install --no-cache-dir "$(grep '^uv>' requirements-dev.txt)"
ENV VIRTUAL_ENV=/opt/lnviz UV_COMPILE_BYTECODE=1 UV_NO_CACHE=1
RUN uv pip install --no-deps --require-hashes -r requirements.lock \
  && uv pip install --torch-backend=cpu "$(grep '^torch==' requirements.txt)" \
  && uv pip install -r requirements.txt
COPY . .
RUN uv pip install --no-deps .
# What only building and testing other packages needs: headers, C++ tests, compilers and tests in Python.
RUN cd /opt/lnviz/lib/python3.11/site-packages \
  && rm -rf torch/include torch/test torch/share pyarrow/include pyarrow/src \
  && find torch/bin -type f -not -name torch_shm_manager -delete \
  && find . -type d -name tests -not -path './torch/*' -not -path './lnviz/*' -prune -exec rm -rf {} +

FROM python:3.11-slim-bookworm
RUN useradd --uid 1000 --create-home lnviz && install -d -o lnviz /data
COPY --from=build /opt/lnviz /opt/lnviz
USER lnviz
WORKDIR /data
# The only folders that are written to are /data and /tmp, so the root may be read-only.
ENV PATH=/opt/lnviz/bin:$PATH HOME=/data LNVIZ_CACHE=/data/cache LNVIZ_DATABASE_URL=sqlite:////data/lnviz.sqlite
ENV STREAMLIT_SERVER_ADDRESS=0.0.0.0 STREAMLIT_SERVER_PORT=8501
VOLUME /data
EXPOSE 8501
HEALTHCHECK --start-period=60s --timeout=5s \
  CMD ["python", "-c", "import os, urllib.request as web; web.urlopen('http://127.0.0.1:' + os.environ['STREAMLIT_SERVER_PORT'] + '/_stcore/health')"]
CMD ["lnviz", "run"]
