import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { runWithEnv, serveInProcess } from './in-process.ts'
import { startInTerminal } from './run-coffer.ts'

const passphrase = 'correct horse battery staple'

function createPlace() {
  const home = createTempFolder()
  const dataDir = path.join(home, 'data')
  const env = { HOME: home, COFFER_PASSPHRASE: passphrase }
  const runCoffer = (...args: string[]) => runWithEnv(env, ...args, '--data-dir', dataDir)
  return { home, dataDir, env, runCoffer, folder: path.join(dataDir, '.authority') }
}

test('H-02 trust says what it will do, and does nothing without a yes', async () => {
  const { dataDir, runCoffer, folder } = createPlace()
  const unasked = await runCoffer('trust')
  expect(unasked).toMatchObject({ code: 1, error: expect.stringContaining('Add --yes') })
  for (const text of [
    'valid for 90 days, for exactly these names:\n  api.basistheory.com\n',
    path.join(folder, 'authority.pem'),
    path.join(folder, 'authority.json'),
    'trust --remove',
  ])
    expect(unasked.notes).toContain(text)
  const printed = await runCoffer(
    'trust',
    '--print',
    '--map-destination',
    'https://api.stripe.com=http://127.0.0.1:12111',
  )
  expect(printed).toMatchObject({ code: 0, out: expect.stringContaining('\n  api.stripe.com\n') })
  expect((await runCoffer('trust', '--print', '--remove')).code).toBe(2)
  expect((await runCoffer('trust', '--remove')).out).toBe('There is no lasting authority.\n')
  expect(JSON.parse((await runCoffer('trust', '--status', '--json')).out)).toEqual({ state: 'absent' })
  expect(fs.existsSync(dataDir)).toBe(false)
})

test.skipIf(process.platform !== 'linux')('H-02 trust asks at a terminal for a typed yes', async () => {
  const { dataDir, env, folder } = createPlace()
  for (const [answer, code] of [
    ['y', 1],
    ['yes', 0],
  ] as const) {
    const terminal = startInTerminal(['trust', '--data-dir', dataDir], env)
    await terminal.waitForPrompt('Type yes to continue: ')
    expect(fs.existsSync(folder)).toBe(false)
    terminal.press(`${answer}\r`)
    expect(await terminal.ended).toBe(code)
  }
  expect(fs.existsSync(folder)).toBe(true)
})

test('H-02 serve uses the lasting authority across restarts; status, doctor and delete name it', {
  // Twelve complete commands, which take most of a minute on a busy machine.
  timeout: 120_000,
}, async () => {
  const { dataDir, runCoffer, folder, env } = createPlace()
  const created = await runCoffer('trust', '--yes', '--json')
  expect(JSON.parse(created.out)).toMatchObject({ state: 'present', key: 'passphrase' })
  expect((await runCoffer('trust', '--yes')).error).toContain('already a lasting authority')
  const root = fs.readFileSync(path.join(folder, 'authority.pem'), 'utf8')
  const serveHosted = async (more: Record<string, string> = {}, ...args: string[]) => {
    const served = await serveInProcess(
      ['--ephemeral', '--as-hosted', '--json', '--data-dir', dataDir, ...args],
      { ...env, ...more },
    )
    const used = fs.readFileSync(served.facts.as_hosted.environment.NODE_EXTRA_CA_CERTS, 'utf8')
    await served.stop()
    return { notes: served.notes, isLasting: used.includes(root) }
  }
  for (let restart = 0; restart < 2; restart++)
    expect(await serveHosted()).toEqual({
      notes: expect.stringContaining('coffer trust created'),
      isLasting: true,
    })
  const wrong = await serveHosted({ COFFER_PASSPHRASE: 'another horse' })
  expect(wrong).toEqual({ notes: expect.stringContaining('authority of its own'), isLasting: false })
  const mapped = await serveHosted({}, '--map-destination', 'https://api.stripe.com=http://127.0.0.1:12111')
  expect(mapped).toEqual({ notes: expect.stringContaining('is not for api.stripe.com'), isLasting: false })

  await runCoffer('init', '--json')
  expect(JSON.parse((await runCoffer('status', '--json')).out)).toMatchObject({
    authority: { state: 'present' },
  })
  expect((await runCoffer('status')).out).toContain('authority of coffer trust: present')
  expect((await runCoffer('doctor')).out).toMatch(/^ok +authority +The lasting authority/m)
  expect((await runCoffer('delete', '--yes-delete', 'default')).notes).toContain('trust --remove')
  expect((await runCoffer('trust', '--remove', '--json')).out).toBe(
    '{"removed":true,"remained":{"stores":[],"keychain":false}}\n',
  )
  expect(fs.existsSync(folder)).toBe(false)
})

test('X-72 no output and no backup holds the key of the authority', async () => {
  const { runCoffer, folder, dataDir } = createPlace()
  const printed = [
    await runCoffer('trust', '--yes', '--verbose'),
    await runCoffer('trust', '--status', '--json'),
  ]
  const { sealed } = JSON.parse(fs.readFileSync(path.join(folder, 'authority.json'), 'utf8'))
  await runCoffer('init', '--json')
  const out = path.join(createTempFolder(), 'a.coffer-backup')
  await runCoffer('backup', '--out', out)
  printed.push(await runCoffer('doctor', '--json'), await runCoffer('status', '--json'))
  expect(JSON.stringify(printed)).not.toContain(sealed)
  const other = path.join(path.dirname(dataDir), 'other')
  expect(
    (await runWithEnv({ COFFER_PASSPHRASE: passphrase }, 'restore', out, '--data-dir', other)).code,
  ).toBe(0)
  expect(fs.readdirSync(other)).not.toContain('.authority')
})

const hasCertutil = process.platform === 'linux' && spawnSync('certutil', ['-H']).error === undefined

test.skipIf(!hasCertutil)(
  'X-72 trust adds to the store of this user’s Chromium, and --remove takes out only that',
  async () => {
    const { home, runCoffer } = createPlace()
    const store = path.join(home, '.pki', 'nssdb')
    const listStore = () => execFileSync('certutil', ['-L', '-d', `sql:${store}`], { encoding: 'utf8' })
    // Without a store, the command is printed for the owner to run.
    const byHand = await runCoffer('trust', '--yes')
    expect(byHand).toMatchObject({
      code: 0,
      notes: expect.stringContaining(`Add it with: certutil -A -d sql:${store} -n `),
    })
    expect((await runCoffer('trust', '--remove')).code).toBe(0)
    fs.mkdirSync(store, { recursive: true })
    execFileSync('certutil', ['-N', '-d', `sql:${store}`, '--empty-password'])
    const before = listStore()
    const { out } = await runCoffer('trust', '--yes', '--json')
    expect(JSON.parse(out).stores).toEqual([{ kind: 'nss', place: store, trusted: 'yes' }])
    expect(listStore()).toMatch(/^Coffer as hosted [0-9A-F]{40} +C,, *$/m)
    // An authority whose data folder is gone.
    const elsewhere = await runWithEnv({ HOME: home }, 'doctor', '--data-dir', path.join(home, 'other'))
    expect(elsewhere.out).toMatch(/^warn +authority .*If its data folder is gone: certutil -D -d sql:/m)
    expect((await runCoffer('doctor')).out).toMatch(/^ok +authority /m)
    // A tool that fails leaves a state that is named and can be repeated.
    vi.stubEnv('PATH', '/nonexistent')
    onTestFinished(() => void vi.unstubAllEnvs())
    const failed = await runCoffer('trust', '--remove')
    expect(failed).toMatchObject({
      code: 1,
      notes: expect.stringContaining('Remove it with: certutil -D -d sql:'),
    })
    expect(JSON.parse((await runCoffer('trust', '--status', '--json')).out)).toMatchObject({
      state: 'incomplete',
      key: null,
    })
    vi.unstubAllEnvs()
    expect((await runCoffer('trust', '--remove')).code).toBe(0)
    expect(listStore()).toBe(before)
  },
)
