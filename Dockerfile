# `coffer serve` in a container. It listens on loopback alone, so a forwarder carries the published port to it.
FROM node:24-bookworm-slim AS build
WORKDIR /coffer
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Only what runs is kept: the image has a Node of its own.
RUN npm run build && npm prune --omit=dev && rm -rf node_modules/node-linux-*

FROM node:24-bookworm-slim
WORKDIR /coffer
COPY --from=build /coffer/node_modules ./node_modules
COPY --from=build /coffer/package.json ./
COPY --from=build /coffer/electron/built-file.mjs ./electron/
COPY --from=build /coffer/electron/cli/run.mjs ./electron/cli/
COPY --from=build /coffer/out/cli ./out/cli
COPY --from=build /coffer/out/elements ./out/elements
COPY --from=build /coffer/out/reactors ./out/reactors
COPY --from=build /coffer/out/renderer ./out/renderer
COPY resources/container-forward.mjs /usr/local/lib/coffer/
COPY resources/container-start.sh /usr/local/bin/coffer-start
RUN ln -s /coffer/electron/cli/run.mjs /usr/local/bin/coffer && mkdir /data && chown node:node /data
# SECURITY: nothing here needs root.
USER node
ENV COFFER_DATA_DIR=/data
VOLUME /data
EXPOSE 4747
# Asks the port that is published, and so the forwarder too.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4747/_coffer/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["coffer-start"]
