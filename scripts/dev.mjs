// `npm run dev`: serves the window with Vite, which reloads changed sources. Opens it in Electron. Without Electron or
// a display, serves it to a browser, with an in-memory vault, and prints the vault's internal errors with their messages.
// Options such as --seed go to `coffer serve`.
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { build } from './build.mjs'
import { run, whyNoWindow } from './desktop.mjs'
import { install, ownNode, root } from './install.mjs'

// Installed packages are not updated here: `npm start` installs a newer lockfile.
if (!fs.existsSync(path.join(root, 'node_modules', 'vite'))) install()
const reason = await whyNoWindow()
if (reason === null) {
  run(ownNode(), [path.join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'dev'])
} else {
  process.stderr.write(`${reason} Serving the window in a browser instead.\n`)
  await serveInBrowser()
}

async function serveInBrowser() {
  // Coffer only serves a window that has been built, although Vite then serves its own.
  if (!fs.existsSync(path.join(root, 'out', 'renderer', 'index.html'))) build()
  const { console: link, url, keys, error } = await startVault()
  // `coffer serve` has printed the error, and `run` exits with its exit code.
  if (error) return
  const vault = new URL(link)
  const { createServer } = await import('vite')
  const { loadConfigFromFile } = await import('electron-vite')
  const { config } = await loadConfigFromFile({ command: 'serve', mode: 'development' }, undefined, root)
  const { root: folder, plugins } = config.renderer
  const proxy = { '/_coffer': { target: vault.origin, configure } }
  const server = await createServer({
    configFile: false,
    root: path.join(root, folder),
    plugins,
    server: { host: '127.0.0.1', port: 5173, cors: false, proxy },
  })
  await server.listen()
  const served = ['electron', 'shared'].map((area) => path.join(root, area))
  server.watcher.add(served).on('change', (file) => {
    if (!served.some((area) => file.startsWith(area + path.sep))) return
    process.stderr.write(
      `${path.relative(root, file)} has changed. Restart npm run dev to load it into the vault.\n`,
    )
  })
  const own = `http://127.0.0.1:${server.httpServer.address().port}`
  const lines = [
    `The window, from its sources: ${own}/${vault.hash}`,
    `The API: ${url}`,
    'Application keys of the in-memory vault:',
    ...['management', 'private', 'public'].map((type) => `  ${type.padEnd(10)}  ${keys[type]}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)

  function configure(proxied) {
    proxied.on('proxyReq', (sent, { headers }) => {
      sent.setHeader('Host', vault.host)
      // SECURITY: requests from other origins keep their Origin header, so that Coffer rejects them.
      if (headers.origin === own) sent.setHeader('Origin', vault.origin)
    })
  }
}

/** Starts `coffer serve` from the sources, with an in-memory vault, and returns the first line that it prints. */
async function startVault() {
  const cli = path.join(root, 'electron', 'cli', 'coffer.ts')
  const args = ['serve', '--ephemeral', '--console', '--port', '0', '--json', ...process.argv.slice(2)]
  const printer = pathToFileURL(path.join(root, 'scripts', 'print-errors.mjs')).href
  const node = ['--disable-warning=ExperimentalWarning', `--import=${printer}`, cli]
  const child = run(ownNode(), [...node, ...args], ['inherit', 'pipe', 'inherit'])
  const [line] = await once(createInterface(child.stdout), 'line')
  return JSON.parse(line)
}
