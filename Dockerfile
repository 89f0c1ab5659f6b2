# `coffer serve` in a container. It listens only on loopback, so a forwarder connects the published port to it.
FROM node:24-bookworm-slim AS build
WORKDIR /coffer
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Installs the npm package, as everywhere else.
RUN npm run dist:npm && npm install --global --prefix /image ./dist/coffer-*.tgz

FROM node:24-bookworm-slim
COPY --from=build /image/ /usr/local/
COPY resources/container-forward.mjs /usr/local/lib/coffer/
COPY resources/container-start.sh /usr/local/bin/coffer-start
# Other containers read the certificate of --authority-file in /trust.
RUN mkdir /data /trust && chown node:node /data /trust
# SECURITY: nothing in the container needs root.
USER node
WORKDIR /home/node
ENV COFFER_DATA_DIR=/data
VOLUME /data
EXPOSE 4747
# Checks the published port, so the forwarder is checked too.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4747/_coffer/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["coffer-start"]
