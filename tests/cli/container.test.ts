import { execFile, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { serviceNames } from '../../electron/as-hosted/names.ts'
import manifest from '../../package.json' with { type: 'json' }
import { packNpm } from '../../scripts/pack-npm.mjs'
import { findFreePort } from '../ports.ts'
import { readFile, root } from '../repository.ts'
import { createTempFolder } from '../vault.ts'
import { runWithEnv, serveInProcess } from './in-process.ts'

const image =
  readFile('Dockerfile')
    .split(/^FROM /m)
    .at(-1) ?? ''

/** The scripts that the image takes from the checkout, with their targets. The rest is the npm package. */
const scripts = [
  ['resources/container-forward.mjs', '/usr/local/lib/coffer/'],
  ['resources/container-start.sh', '/usr/local/bin/coffer-start'],
] as const
/** The folder in which `npm install --global` puts the package. */
const installed = '/usr/local/lib/node_modules/coffer'

test('the image contains only the npm package and the container’s scripts', () => {
  expect(readFile('Dockerfile')).toContain(
    'npm run dist:npm && npm install --global --prefix /image ./dist/coffer-*.tgz\n',
  )
  const copied = [...image.matchAll(/^COPY (.*) (\S+)$/gm)].map(([, from, to]) => [from, to])
  expect(copied).toEqual([['--from=build /image/', '/usr/local/'], ...scripts])
  if (process.platform === 'win32') return
  for (const file of ['resources/container-start.sh', manifest.bin.coffer])
    expect([file, fs.statSync(path.join(root, file)).mode & 0o111]).toEqual([file, 0o111])
})

test('the context of the build has every tsconfig.json that the bundler reads', () => {
  const ignored = readFile('.dockerignore').trim().split('\n')
  const { references } = JSON.parse(readFile('tsconfig.json')) as { references: { path: string }[] }
  for (const { path: folder } of references) {
    const isOut = ignored.some((each) => each === folder || each === `${folder}/*`)
    expect([folder, !isOut || ignored.includes(`!${folder}/tsconfig.json`)]).toEqual([folder, true])
  }
})

test('Compose publishes the port only locally, and only the volume is writable', () => {
  const { coffer } = (
    parse(readFile('compose.yaml')) as { services: Record<string, Record<string, unknown>> }
  ).services
  expect(coffer).toMatchObject({
    ports: [`127.0.0.1:\${COFFER_PUBLISHED_PORT:-4747}:4747`],
    volumes: ['vault:/data'],
    read_only: true,
    tmpfs: ['/tmp'],
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  })
  expect(image).toMatch(/^USER node$/m)
})

test('H-03 the overlay of Compose gives Coffer every name of the service', () => {
  const { services } = parse(readFile('compose.as-hosted.yaml')) as {
    services: { coffer: { command: string[]; networks: { default: { aliases: string[] } } } }
  }
  const { command, networks } = services.coffer
  expect(networks.default.aliases).toEqual(Object.keys(serviceNames))
  expect(command.slice(0, 2)).toEqual(['--as-hosted', '4749'])
  expect(readFile('resources/container-forward.mjs')).toContain('forwardPort(443, 4749)')
})

test('serve prints the published port, and accepts it in the Host header', async () => {
  const port = await findFreePort()
  const published = { COFFER_PUBLISHED_PORT: '5000' }
  const { facts } = await serveInProcess(['--ephemeral', '--json', '--port', String(port)], published)
  expect(facts).toMatchObject({ url: 'http://127.0.0.1:5000' })
  const fetchStatusAs = async (host: string) => {
    const response = await run('curl', [
      '-sS',
      `http://127.0.0.1:${port}/_coffer/health`,
      '-H',
      `Host: ${host}`,
      '-i',
    ])
    return response.stdout.split(' ')[1]
  }
  for (const host of ['127.0.0.1:5000', 'localhost:5000', `127.0.0.1:${port}`])
    expect(await fetchStatusAs(host)).toBe('200')
  for (const host of ['127.0.0.1:5001', 'evil.test:5000']) expect(await fetchStatusAs(host)).toBe('403')
  const refused = await runWithEnv({}, 'serve', '--ephemeral', '--published-port', 'x')
  expect(refused).toMatchObject({ code: 2, error: expect.stringContaining('It must be a number') })
})

const isolates = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true']).status === 0
const why = isolates ? '' : ' (skipped: this user may not make namespaces)'
const run = promisify(execFile)

/** Starts the image's start script like `docker compose up`, but without a container engine. */
async function startContainer(data: string, ...options: string[]) {
  const folder = createTempFolder()
  const image = path.join(folder, 'image')
  const own = path.join(image, installed)
  const bin = path.join(image, 'usr/local/bin')
  fs.mkdirSync(path.join(own, 'node_modules'), { recursive: true })
  const unpacked = spawnSync('tar', ['-xzf', packNpm(createTempFolder()), '-C', own, '--strip-components=1'])
  if (unpacked.status !== 0) throw new Error(String(unpacked.stderr))
  for (const [from, to] of scripts) {
    const name = to.endsWith('/') ? path.join(to, path.basename(from)) : to
    fs.cpSync(path.join(root, from), path.join(image, name))
  }
  fs.mkdirSync(bin, { recursive: true })
  fs.copyFileSync(process.execPath, path.join(bin, 'node'))
  fs.symlinkSync(`../lib/node_modules/coffer/${manifest.bin.coffer}`, path.join(bin, 'coffer'))
  const secrets = path.join(image, 'run/secrets')
  fs.mkdirSync(secrets, { recursive: true })
  fs.writeFileSync(path.join(secrets, 'coffer_passphrase'), 'correct horse battery\n')
  fs.chmodSync(folder, 0o755)

  const script = path.join(import.meta.dirname, 'container.sh')
  const isolated = ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sh', script]
  const child = spawn('unshare', [...isolated, folder, path.join(root, 'node_modules'), data, ...options])
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let printed = ''
  const logs = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk
        if (printed.includes('Stop with Ctrl-C.')) resolve(printed)
      })
    }
    void ended.then(() => reject(new Error(printed)))
  })
  await logs
  const first = fs.readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
  const enter = ['--target', first, '--net']
  const environment = [
    'PATH=/usr/local/bin:/usr/bin:/bin',
    'COFFER_DATA_DIR=/data',
    'COFFER_PUBLISHED_PORT=5000',
  ]
  const passphrase = 'COFFER_PASSPHRASE_FILE=/run/secrets/coffer_passphrase'
  return {
    logs: printed,
    ended,
    /** Sends a request to the published port, like the container engine's port forwarder. */
    curl: async (...args: string[]) => (await run('nsenter', [...enter, 'curl', '-sS', ...args])).stdout,
    /** Runs a command in the container, like `docker compose exec`. */
    exec: (...args: string[]) =>
      run('nsenter', [
        ...[...enter, '--mount', '--pid', '--root', '--wd', '-S', '1000', '-G', '1000'],
        ...['env', '-i', ...environment, passphrase, ...args],
      ]),
    stop: () => process.kill(Number(first), 'SIGTERM'),
  }
}

test.skipIf(!isolates)(
  `the image serves on a read-only root, as another user${why}`,
  { tags: 'thorough', timeout: 120_000 },
  async () => {
    const data = createTempFolder()
    fs.chownSync(data, 1000, 1000)
    const coffer = await startContainer(data)
    expect(coffer.logs).toContain('Coffer is listening on http://127.0.0.1:5000 (vault default')
    expect(coffer.logs).toContain('curl http://127.0.0.1:5000/tokens')
    expect(coffer.logs).not.toMatch(/474[78]/)

    const [key] = /key_local_pvt_\w+/.exec(coffer.logs) ?? []
    const createToken = (host: string) =>
      coffer.curl(
        ...['http://127.0.0.1:4747/tokens', '-H', `Host: ${host}`, '-H', `SVC-API-KEY: ${key}`],
        ...['-H', 'Content-Type: application/json', '-d', '{"type":"token","data":"x"}'],
      )
    const { id } = JSON.parse(await createToken('127.0.0.1:5000'))
    expect(JSON.parse(await createToken('evil.test'))).toMatchObject({ status: 403 })

    const [, , ...health] = JSON.parse(`[${/CMD \[(.*)\]/.exec(image)?.[1]}]`) as string[]
    await coffer.exec('node', '-e', ...health)
    expect((await coffer.exec('coffer', 'env')).stdout).toContain('COFFER_BASE_URL=http://127.0.0.1:5000\n')
    expect((await coffer.exec('id', '-u')).stdout).toBe('1000\n')
    await expect(coffer.exec('touch', '/usr/local/x')).rejects.toThrow('Read-only file system')
    const created = await coffer.exec('coffer', 'keys', 'create', '--type', 'private', '--json')
    const request = ['http://127.0.0.1:4747/tokens', '-H', 'Host: 127.0.0.1:5000']
    expect(
      JSON.parse(await coffer.curl(...request, '-H', `SVC-API-KEY: ${JSON.parse(created.stdout).key}`)),
    ).toHaveProperty('data')
    expect((await coffer.exec('coffer', 'status')).stdout).toMatch(
      /default .*open in coffer serve .*listening at http:\/\/127\.0\.0\.1:5000\n/,
    )

    // Without the forwarder, Coffer cannot be reached: the container must end, so that the engine restarts it.
    await coffer.exec(
      'sh',
      '-c',
      'kill $(grep -lsa [c]ontainer-forward /proc/[0-9]*/cmdline | head -1 | cut -d/ -f3)',
    )
    expect(await coffer.ended).toBe(0)
    const again = await startContainer(data)
    const got = await again.curl(
      ...[`http://127.0.0.1:4747/tokens/${id}`, '-H', 'Host: 127.0.0.1:5000', '-H', `SVC-API-KEY: ${key}`],
    )
    expect(JSON.parse(got)).toMatchObject({ id })
    again.stop()
    expect(await again.ended).toBe(0)

    const authority = ['--authority-file', '/data/authority.pem']
    const hosted = await startContainer(data, '--as-hosted', '4749', ...authority)
    const trust = [
      '--cacert',
      path.join(data, 'authority.pem'),
      '--resolve',
      'api.basistheory.com:443:127.0.0.1',
    ]
    expect(await hosted.curl('https://api.basistheory.com/_coffer/ready', ...trust)).toContain('ready')
    hosted.stop()
    expect(await hosted.ended).toBe(0)
  },
)
