import fs from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { startReader, walkGuide } from './walk-guide.ts'

// Each guide starts a dozen programs, and machines differ.
vi.setConfig({ testTimeout: 120_000 })

const starts = 'stands for the coffer serve that is started here'
const counts: Record<string, number> = {}
afterAll(() => {
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0)
  console.log(`${all} commands of guides were run: ${JSON.stringify(counts)}`)
})

test('every command of the README, the first hour and the masks guide works, in that order', async () => {
  const reader = startReader()
  const coffer = await reader.serve()
  const notRun = { 'npm start': starts, 'npm test': 'runs this test' }
  counts.readme = await walkGuide(reader, 'README.md', { notRun })
  counts['first-hour'] = await walkGuide(reader, 'docs/first-hour.md', {
    notRun: { 'npm start': starts },
    before: { 'coffer keys create': coffer.stop },
  })
  const again = await reader.serve()
  counts.masks = await walkGuide(reader, 'docs/masks-and-access-rules.md')
  await again.stop()
})

test('every command of the demo script works', async () => {
  const reader = startReader()
  const coffer = await reader.serve('--vault', 'demo')
  counts.demo = await walkGuide(reader, 'docs/demo-script.md', {
    notRun: { 'npm start': starts, 'while sleep 1': 'runs until somebody stops it' },
  })
  await coffer.stop()
})

test('every command of the guide on backup and recovery works', async () => {
  const reader = startReader()
  const stick = path.join(reader.home, 'stick')
  fs.mkdirSync(stick)
  const coffer = await reader.serve('--vault', 'default')
  await coffer.stop()
  reader.here.set('/media/stick', stick)
  reader.here.set('<a new passphrase>', "'another horse battery staple'")
  const work = () => reader.run('coffer init --vault work --json')
  const inStick = () => reader.run(`cd ${stick}`)
  counts.backup = await walkGuide(reader, 'docs/backup-and-recovery.md', {
    notRun: {
      'coffer serve --vault restored': 'serves until it is stopped; the next command opens the same vault',
      'coffer delete --vault work': 'asks in a terminal',
    },
    before: {
      'coffer verify work.coffer-backup': inStick,
      'COFFER_PASSPHRASE=': () => reader.run('export COFFER_VAULT=elsewhere'),
      'coffer delete --vault work --yes-delete work': work,
    },
  })
})

test('every command of the guide on moving works, between two vaults', async () => {
  const reader = startReader()
  const coffer = await reader.serve()
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
  const there = await receiver.serve('--ephemeral')
  for (const [said, is] of receiver.here) reader.here.set(said, is)
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

test('every command and every JavaScript example of the guide on clients works', async () => {
  const reader = startReader()
  const coffer = await reader.serve()
  reader.here.set('http://localhost:4747', coffer.url.replace('127.0.0.1', 'localhost'))
  // The clients are looked for beside the file that names them.
  fs.symlinkSync(path.resolve('node_modules'), path.join(reader.home, 'node_modules'))
  await reader.run(`export COFFER_KEY=${reader.here.get('key_local_pvt_…')}`)
  counts.clients = await walkGuide(reader, 'docs/clients.md')
  await coffer.stop()
})
