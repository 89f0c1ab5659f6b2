import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../ports.ts'
import { waitFor } from '../wait-for.ts'
import { readGuide } from './read-guide.ts'
import { startReader, walkGuide } from './walk-guide.ts'

const starts = 'stands for the coffer serve that is started here'
const counts: Record<string, number> = {}
afterAll(() => {
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0)
  console.log(`${all} commands of guides were run: ${JSON.stringify(counts)}`)
})

test('every guide with commands or examples is walked by these tests', () => {
  const notWalked = {
    'docs/conform.md': 'checks a server of the hosted service; tests/conform checks Coffer',
    'docs/elements.md': 'configures bundlers',
    'docs/packaging.md': 'packs the checkout; tests/testing does',
    'docs/performance.md': 'measures for half an hour',
    'docs/team.md': 'needs a container engine and a hosted tenant',
  }
  const source = fs.readFileSync(import.meta.filename, 'utf8')
  const guides = fs.readdirSync('docs').filter((name) => name.endsWith('.md'))
  const withSteps = ['README.md', ...guides.map((name) => `docs/${name}`)].filter(
    (page) => readGuide(page).length > 0,
  )
  const missing = withSteps.filter((page) => !source.includes(`walkGuide(reader, '${page}'`))
  expect(missing).toEqual(Object.keys(notWalked))
})

test('every command of the README, the first hour and the masks guide succeeds, in that order', async () => {
  const reader = startReader()
  const coffer = await reader.startServe()
  const notRun = {
    'git clone': 'this is the clone',
    'cd coffer': 'this is the clone',
    'npm start': starts,
    'npm test': 'runs this test',
    'npx ./coffer-0.3.0.tgz': 'needs the package; tests/testing does it',
    'npm install --save-dev': 'needs the package; tests/testing does it',
    'npx --no-install coffer run -- npm test': 'needs a project; tests/cli does it',
  }
  counts.readme = await walkGuide(reader, 'README.md', { notRun })
  counts['first-hour'] = await walkGuide(reader, 'docs/first-hour.md', {
    notRun: { 'npm start': starts },
    before: { 'coffer keys create': coffer.stop },
  })
  const again = await reader.startServe()
  counts.masks = await walkGuide(reader, 'docs/masks-and-access-rules.md')
  await again.stop()
})

test('every command of the demo script succeeds', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const coffer = await reader.startServe('--vault', 'demo')
  counts.demo = await walkGuide(reader, 'docs/demo-script.md', {
    notRun: { 'npm start': starts, 'while sleep 1': 'runs until somebody stops it' },
  })
  await coffer.stop()
})

test('every command of the guide on backup and recovery succeeds', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const stick = path.join(reader.home, 'stick')
  fs.mkdirSync(stick)
  const coffer = await reader.startServe('--vault', 'default')
  await coffer.stop()
  reader.here.set('/media/stick', stick)
  reader.here.set('<a new passphrase>', "'another horse battery staple'")
  const createWorkVault = () => reader.run('coffer init --vault work --json')
  const enterStick = () => reader.run(`cd ${stick}`)
  counts.backup = await walkGuide(reader, 'docs/backup-and-recovery.md', {
    notRun: {
      'coffer serve --accept-loss 12': 'needs a vault with a damaged log; tests/cli runs it',
      'coffer serve --vault restored': 'serves until it is stopped; the next command opens the same vault',
      'coffer delete --vault work': 'asks in a terminal',
    },
    before: {
      'coffer verify work.coffer-backup': enterStick,
      'COFFER_PASSPHRASE=': () => reader.run('export COFFER_VAULT=elsewhere'),
      'coffer delete --vault work --yes-delete work': createWorkVault,
    },
  })
})

test('every command of the guide on moving succeeds between two vaults', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const coffer = await reader.startServe()
  const { url, keys } = { url: coffer.url, keys: reader.here }
  await reader.run(`curl -sS ${url}/tokens -H 'SVC-API-KEY: ${keys.get('key_local_pvt_…')}' \
    -H 'Content-Type: application/json' -d '{"type":"card_number","data":"4111111111111111"}'`)
  await coffer.stop()
  const table = 'pan,month,year,customer_id,valid_until\n4242424242424242,12,2030,ada,2040-01-01\n'
  fs.writeFileSync(path.join(reader.home, 'cards.csv'), table)
  const guide = fs.readFileSync('docs/migrating.md', 'utf8')
  const mapping = /^```yaml\n(# cards\.map\.yaml[\s\S]*?)^```/m.exec(guide)?.[1] ?? ''
  fs.writeFileSync(path.join(reader.home, 'cards.map.yaml'), mapping)
  const receiver = startReader()
  const there = await receiver.startServe('--ephemeral')
  for (const [guideText, is] of receiver.here) reader.here.set(guideText, is)
  reader.here.set('http://127.0.0.1:4748', there.url)
  counts.migrating = await walkGuide(reader, 'docs/migrating.md', {
    notRun: {
      'coffer push --to https://api.example.com': 'asks in a terminal; the next one does not',
      'coffer serve --ephemeral --port 4748': starts,
    },
  })
  const exported = fs.readFileSync(path.join(reader.home, 'tokens.ndjson'), 'utf8')
  expect(exported).toContain('4242424242424242')
})

test('every command and JavaScript example of the guide on clients succeeds', {
  tags: 'thorough',
}, async () => {
  const reader = startReader()
  const coffer = await reader.startServe()
  reader.here.set('http://localhost:4747', coffer.url.replace('127.0.0.1', 'localhost'))
  // The clients are resolved from the file that imports them.
  fs.symlinkSync(path.resolve('node_modules'), path.join(reader.home, 'node_modules'))
  await reader.run(`export COFFER_KEY=${reader.here.get('key_local_pvt_…')}`)
  await reader.run(`export COFFER_MANAGEMENT_KEY=${reader.here.get('key_local_mgt_…')}`)
  const generators = 'generators from the registries, which npm run clients fetches and runs'
  counts.clients = await walkGuide(reader, 'docs/clients.md', {
    notRun: {
      'openapi-python-client': generators,
      'oapi-codegen': generators,
      'openapi-typescript': 'a generator from the npm registry, which was run by hand',
    },
  })
  await coffer.stop()
})

test('every command of the guide on proxies succeeds without a server other than Coffer', {
  tags: 'thorough',
}, async () => {
  const reader = startReader()
  const coffer = await reader.startServe('--ephemeral')
  counts.proxies = await walkGuide(reader, 'docs/proxies.md', {
    notRun: {
      'coffer serve --ephemeral': starts,
      'coffer serve --allow-destination': 'serves until it is stopped',
      'coffer serve --map-destination': 'serves until it is stopped',
    },
  })
  await coffer.stop()
})

test('every command of the guide on reactors succeeds and writes the reactor files', {
  tags: 'thorough',
}, async () => {
  const reader = startReader()
  const coffer = await reader.startServe('--ephemeral', '--reactors')
  // The test library is resolved from the file that imports it.
  fs.mkdirSync(path.join(reader.home, 'node_modules'))
  fs.symlinkSync(path.resolve('.'), path.join(reader.home, 'node_modules', 'coffer'))
  await reader.run(`export COFFER_BASE_URL=${coffer.url}`)
  counts.reactors = await walkGuide(reader, 'docs/reactors.md', {
    notRun: {
      'coffer serve --ephemeral': starts,
      'coffer reactor add-package': 'asks the npm registry; tests/cli runs it',
    },
  })
  expect(fs.readdirSync(path.join(reader.home, 'reactors')).toSorted()).toContain('last-four.js')
  await coffer.stop()
})

test('every command of the guide on documents succeeds', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const coffer = await reader.startServe()
  counts.documents = await walkGuide(reader, 'docs/documents.md')
  await coffer.stop()
})

test('every command of the guide on webhooks succeeds', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const coffer = await reader.startServe('--ephemeral')
  reader.here.set(
    'coffer webhooks trigger token.created',
    `coffer webhooks trigger token.created --url ${coffer.url}`,
  )
  reader.here.set('--print-secret', `--print-secret --url ${coffer.url}`)
  const hooks = await startHooks(reader.home)
  reader.here.set('http://localhost:3000', hooks.url)
  counts.webhooks = await walkGuide(reader, 'docs/webhooks.md', {
    notRun: {
      'coffer serve --ephemeral': starts,
      'coffer serve --allow-destination': 'serves until it is stopped',
      'coffer webhooks listen --forward': 'runs until it is stopped; tests/cli runs it',
    },
  })
  // The events that the guide shows as received.
  await hooks.waitForOutput(
    /^POST \/hooks\ncontent-type: application\/json\nbt-signature: \S+\nbt-signature-version: v1-test\n\n\{"delivered_at":.*"type":"token\.created"\}\}\n\n/m,
  )
  await coffer.stop()
})

/** Runs the guide's program that prints the events it receives, on a free port, until the test ends. */
async function startHooks(folder: string) {
  const guide = fs.readFileSync('docs/webhooks.md', 'utf8')
  const program = /^```mjs\n([\s\S]*?)^```/m.exec(guide)?.[1] ?? ''
  const port = await findFreePort()
  fs.writeFileSync(path.join(folder, 'hooks.mjs'), program.replace('listen(3000,', `listen(${port},`))
  const child = spawn(process.execPath, ['hooks.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const url = `http://localhost:${port}`
  await waitFor(async () => expect((await fetch(url)).ok).toBe(true))
  return { url, waitForOutput: (text: RegExp) => waitFor(() => expect(printed).toMatch(text)) }
}

test('every command of the guide on 3D Secure succeeds', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const coffer = await reader.startServe()
  counts['three-d-secure'] = await walkGuide(reader, 'docs/three-d-secure.md', {
    notRun: {
      'coffer serve --ephemeral': starts,
      'npm run example:checkout': 'runs until it is stopped; tests/e2e runs the shop',
    },
  })
  await coffer.stop()
})

test('every command of the guide on wallets succeeds', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const coffer = await reader.startServe()
  counts.wallets = await walkGuide(reader, 'docs/wallets.md', {
    notRun: { 'coffer serve --ephemeral': starts },
  })
  await coffer.stop()
})

test('every command of the guide on network tokens succeeds', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const coffer = await reader.startServe()
  counts['network-tokens'] = await walkGuide(reader, 'docs/network-tokens.md', {
    notRun: { 'coffer serve --ephemeral': starts },
  })
  await coffer.stop()
})

test('every command of the guide to unchanged programs succeeds', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const needsProject = 'needs a program; tests/as-hosted runs several'
  const coffer = await reader.startServe('--ephemeral', '--as-hosted')
  counts['run-unchanged'] = await walkGuide(reader, 'docs/run-unchanged.md', {
    notRun: {
      'coffer run --as-hosted -- npm run dev': needsProject,
      'coffer run --as-hosted --map-destination': needsProject,
      'npx next dev': needsProject,
      'coffer serve': starts,
      'coffer trust': 'changes what the user trusts; tests/cli runs it',
    },
  })
  const read = `curl -sS https://api.basistheory.com/applications/key -H "BT-API-KEY: ${reader.here.get('key_local_pvt_…')}"`
  expect(JSON.parse(await reader.run(read))).toMatchObject({ type: 'private' })
  await coffer.stop()
})

test('the example of the guide to agentic payments succeeds', { tags: 'thorough' }, async () => {
  const reader = startReader()
  const coffer = await reader.startServe('--ephemeral')
  // The client is resolved from the file that imports it.
  fs.symlinkSync(path.resolve('node_modules'), path.join(reader.home, 'node_modules'))
  const options = JSON.stringify({ apiKey: reader.here.get('key_local_pvt_…'), environment: coffer.url })
  const first = 'const { agents, enrollments } = client.agentic'
  reader.here.set(
    first,
    `import { BasisTheoryClient } from '@basis-theory/node-sdk'\nconst client = new BasisTheoryClient(${options})\n${first}`,
  )
  counts['agentic-payments'] = await walkGuide(reader, 'docs/agentic-payments.md')
  await coffer.stop()
})

test('the commands, seed, faults and CI step of the guide on tests and CI succeed', {
  tags: 'thorough',
}, async () => {
  const reader = startReader()
  const guide = fs.readFileSync('docs/ci-recipe.md', 'utf8')
  const getBlock = (language: string, beginning: string) =>
    [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].find(
      ([, is, body]) =>
        is === language && body?.replace(/^# yaml-language-server: .*\n/, '').startsWith(beginning),
    )?.[2] ?? ''
  fs.writeFileSync(path.join(reader.home, 'coffer.seed.yaml'), getBlock('yaml', 'tenant:'))
  fs.writeFileSync(path.join(reader.home, 'coffer.faults.yaml'), getBlock('yaml', '- name: busy'))

  // This program replaces pytest: it reads a token of the seed with the environment of the step.
  fs.writeFileSync(path.join(reader.home, 'bin', 'pytest'), readsGiftCard, { mode: 0o755 })
  const coffer = await reader.startServe('--ephemeral', '--seed', path.join(reader.home, 'coffer.seed.yaml'))
  counts.ci = await walkGuide(reader, 'docs/ci-recipe.md', {
    notRun: {
      'npm run dist:npm': 'packs the checkout; tests/testing does',
      'coffer serve --ephemeral --port 0 --json': starts,
      'openssl rand': 'needs a container engine',
      'docker compose': 'needs a container engine',
    },
  })
  // The guide's last command sets a fault: one create is rejected, and the next one succeeds.
  const create = `curl -sS -D - -o /dev/null ${coffer.url}/tokens -H 'SVC-API-KEY: ${reader.here.get('key_local_pvt_…')}' \
    -H 'Content-Type: application/json' -d '{"type":"card_number","data":"4111111111111111"}'`
  const refused = await reader.run(create)
  expect(refused).toMatch(/^HTTP\/1\.1 503 /)
  expect(refused).toMatch(/^retry-after: 2\r?$/im)
  expect(refused).toMatch(/^coffer-fault: busy\r?$/im)
  expect(await reader.run(create)).toMatch(/^HTTP\/1\.1 201 /)
  await coffer.stop()

  const faulty = await reader.startServe(
    '--ephemeral',
    '--faults',
    path.join(reader.home, 'coffer.faults.yaml'),
  )
  const faults = await reader.run(
    `curl -sS ${faulty.url}/_coffer/faults -H "SVC-API-KEY: ${reader.here.get('key_local_mgt_…')}"`,
  )
  expect(JSON.parse(faults)).toMatchObject({
    rules: [{ name: 'busy' }, { name: 'slow' }, { name: 'lost' }],
  })
  await faulty.stop()

  // The remaining parts of a seed and the complete configuration file, with the files that they name.
  await reader.run('mkdir files reactors && echo pdf > files/contract.pdf')
  await reader.run('echo "module.exports = async ({ args }) => ({ raw: args })" > reactors/charge.js')
  fs.mkdirSync(path.join(reader.home, 'keys'))
  fs.copyFileSync('tests/wallet-files/processor.p12', path.join(reader.home, 'keys/certificate.p12'))
  const parts = ['tenant:', 'proxies:', 'reactors:'].map((part) => getBlock('yaml', part))
  const seed = parts.join('').replace('password: secret', 'password: pässword')
  fs.writeFileSync(path.join(reader.home, 'whole.seed.yaml'), seed)
  await reader.run('coffer run --seed whole.seed.yaml -- true')
  fs.writeFileSync(path.join(reader.home, 'coffer.config.yaml'), getBlock('yaml', 'ephemeral:'))
  expect(await reader.run('coffer run -- pytest')).toMatch(/"id": ?"gift-card"/)
  await reader.run('rm coffer.config.yaml')

  const step = /^ +- run: npx --no-install (coffer run .*)$/m.exec(guide)?.[1] ?? ''
  const read = await reader.run(step)
  expect(read).toMatch(/"id": ?"gift-card"/)
  await expect(reader.run(step.replace('coffer.seed.yaml', 'no-such.yaml'))).rejects.toThrow(
    /^Ended with 1: /,
  )
  counts.ci++
})

const readsGiftCard = `#!/bin/sh
exec curl -sS --fail "$VAULT_URL/tokens/gift-card" -H "SVC-API-KEY: $VAULT_KEY"
`
