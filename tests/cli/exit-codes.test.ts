import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { buildProgram } from '../../electron/cli/program.ts'
import { migrations } from '../../electron/engine/db/migrations.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'

beforeEach(() => {
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
  vi.stubEnv('COFFER_PASSPHRASE', 'correct horse battery staple')
  return () => vi.unstubAllEnvs()
})

test.each([
  [['serve', '--prot', '4747'], /^Unknown option '--prot'\. Did you mean --port\?/],
  [['serve', '--port', '70000'], /^The value of '--port <port>' is invalid\. It must be .* 65535/],
  [['serve', '--keep'], /^--keep needs --seed/],
  [['serve', '--cors-origin', 'x/y'], /^An origin is scheme, host and port/],
  [['serve', '--allow-host', 'a b'], /^A host is a name/],
  [['serve', '--allow-destination', 'https://a.test'], /is invalid\. A destination to allow is a host/],
  [['serve', '--map-destination', 'https://a.test'], /is invalid\. A mapping is two origins/],
  [['serve', '--map-destination', 'https://a.test=http://b.test/c'], /is invalid\. A mapping is two origins/],
  [
    [
      'serve',
      '--map-destination',
      'https://a.test=http://b.test',
      '--map-destination',
      'https://A.test/=http://c.test',
    ],
    /is invalid\. An origin can be mapped only once\./,
  ],
  [['keys', 'create', '--type', 'admin'], /--type <type>' is invalid\. Allowed choices are private/],
  [['keys', 'create'], /^Add --type private, public or management, or --from with a portal link\.$/],
  [['keys', 'create', '--type', 'private', '--name', 'a\nb'], /^The value of '--name <name>' is invalid/],
  [['keys', 'nope'], /^Unknown command 'nope'/],
  [['keys'], /^Name a command, as in .* keys <command>\.$/],
  [[], /^Name a command, as in .* <command>\.$/],
  [['sevre'], /^Unknown command 'sevre'\. Did you mean serve\?/],
  [['help', 'nope'], /^Unknown command 'nope'/],
  [['help', 'keys', 'nope'], /^Unknown command 'nope'/],
  [['nope', '--help'], /^Unknown command 'nope'/],
  [['import'], /^Missing required argument 'file'/],
  [['import', 'a', 'b'], /^Too many arguments/],
  [['import', 'a.csv'], /^A CSV file needs --map/],
  [['import', 'a.ndjson', '--report', '-'], /^--report needs the name of a file/],
  [['backup', '--out', '-'], /^--out needs the name of a file/],
  [['serve', '--ephemeral', '--port', '0', '--run', ' '], /^--run needs a command/],
  [['protect', 'nothing'], /^The argument <way> is invalid\. Allowed choices are keychain, passphrase\./],
  [['status', '--vault', '../x'], /^The value of '--vault <name>' is invalid\. It must be 1 to 64/],
  [['push', '--to', 'http://vault.example', '--key', 'k'], /^--to must be an https URL/],
  [['push', '--to', 'https://vault.example'], /^Pass the server's private key/],
  [['reset', '--url', 'x', '--key', 'k'], /^--url must be a base URL/],
  [['reset'], /^Pass a management key/],
  [['webhooks', 'trigger', 'token.foo'], /is invalid\. Did you mean token\.created, .*token\.updated\? See/],
  [['webhooks', 'trigger', 'token.creatd'], /is invalid\. Did you mean token\.created\? See/],
  [['webhooks', 'trigger', 'foo'], /is invalid\. The help of coffer webhooks listen lists the types\. See/],
])('%j is a usage error with exit code 2 and one message', async (words, sentence) => {
  const { code, error, notes } = await runCommandLine(...words)
  expect(error).toMatch(sentence)
  expect(code).toBe(2)
  expect(notes).not.toMatch(/^error:/m)
})

const allCommands = buildProgram('1.2.3').commands.flatMap((each) =>
  each.commands.length > 0
    ? each.commands.map((below) => [each.name(), below] as const)
    : [['', each] as const],
)
const emptyValues = allCommands.flatMap(([group, command]) => {
  const words = [group, command.name()].filter((word) => word !== '')
  const options = command.options.filter(({ required, optional }) => required || optional)
  const needed = options.flatMap(({ mandatory, long }) => (mandatory ? [`${long}=x`] : []))
  const args = command.registeredArguments
  return [
    ...options.map(({ long }) => [...words, ...args.map(() => 'x'), `${long}`, '']),
    ...args.filter(({ variadic }) => !variadic).map(() => [...words, '', ...needed]),
  ]
})

test.each(emptyValues.map((words) => [words]))(
  'an empty option value is a usage error: %j',
  async (words) => {
    // If an empty value were accepted, a command would use the developer's own vaults, so this sets another folder.
    vi.stubEnv('COFFER_DATA_DIR', createTempFolder())
    const { code, error } = await runCommandLine(...words)
    expect(error).toMatch(/ is invalid\. |^(An origin|A host) is /)
    expect(code).toBe(2)
  },
)

test('delete rejects an empty folder or vault name, and deletes nothing', async () => {
  const dataDir = createTempFolder()
  vi.stubEnv('COFFER_DATA_DIR', dataDir)
  expect((await runCommandLine('init')).code).toBe(0)
  for (const option of [['--data-dir', ''], ['--data-dir='], ['--vault', '']]) {
    const { code, error } = await runCommandLine('delete', ...option, '--yes-delete', 'default')
    expect(error).toMatch(/is invalid\. It must (not be empty\.|be 1 to 64)/)
    expect(code).toBe(2)
  }
  expect((await runCommandLine('verify', '')).error).toMatch(/^The argument <file> is invalid\. It must not/)
  expect(fs.existsSync(path.join(dataDir, 'default', 'vault.db'))).toBe(true)
})

test('no error prints a rejected value, not even one from the environment', async () => {
  for (const words of [
    ['serve', '--port', "key_local_pvt_'x"],
    ['serve', '--kye=key_local_pvt_x'],
    ['import', 'a', 'key_local_pvt_x'],
    ['protect', 'key_local_pvt_x'],
  ]) {
    const { error, code } = await runCommandLine(...words)
    expect(code).toBe(2)
    expect(error).not.toContain('key_local')
  }
  vi.stubEnv('COFFER_PORT', 'key_local_pvt_x')
  const { error } = await runCommandLine('serve')
  expect(error).toMatch(/^COFFER_PORT, which sets '--port <port>', is invalid\. It must be/)
  expect(error).not.toContain('key_local')
})

test('failures other than usage errors exit with 1, and success with 0', async () => {
  const place = ['--data-dir', path.join(createTempFolder(), 'data')]
  expect((await runCommandLine('status', ...place)).code).toBe(0)
  expect((await runCommandLine('keys', 'list', ...place)).code).toBe(1)
  for (const words of [
    ['--help'],
    ['help'],
    ['keys', '--help'],
    ['help', 'keys', 'create'],
    ['help', 'help'],
  ]) {
    const { code, out } = await runCommandLine(...words)
    expect([words, code]).toEqual([words, 0])
    expect(out).toMatch(/^Usage: coffer/)
  }
  for (const word of ['-v', '-V', '--version', 'version']) {
    expect(await runCommandLine(word)).toMatchObject({ code: 0, out: '1.2.3\n' })
  }
})

test('--version --json names the versions that a bug report needs', async () => {
  for (const words of [
    ['--version', '--json'],
    ['version', '--json'],
    ['--json', '-v'],
  ]) {
    const { code, out } = await runCommandLine(...words)
    expect([words, code, JSON.parse(out)]).toEqual([
      words,
      0,
      {
        version: '1.2.3',
        format: migrations.length,
        node: process.versions.node,
        sqlite: expect.stringMatching(/^3\.\d+\.\d+$/),
        platform: process.platform,
        arch: process.arch,
      },
    ])
  }
})

test('with --json, every error is also one line on stdout', async () => {
  const place = ['--data-dir', path.join(createTempFolder(), 'data')]
  const readErrorCode = async (...words: string[]) => {
    const { out, error } = await runCommandLine(...words)
    const printed = JSON.parse(out) as { error: { code: string; message: string } }
    expect(printed.error.message).toBe(error)
    return printed.error.code
  }
  expect(await readErrorCode('keys', 'list', '--json', ...place)).toBe('not_found')
  expect(await readErrorCode('serve', '--json', '--prot', '1')).toBe('usage')
  expect(await readErrorCode('serve', '--json', '--keep')).toBe('usage')
  expect(await readErrorCode('init', '--json', '--vault', 'A')).toBe('usage')
  expect(await readErrorCode('snapshot', 'list', '--json', '--url', 'http://127.0.0.1:1', '--key', 'k')).toBe(
    'unavailable',
  )
  vi.stubEnv('COFFER_PASSPHRASE', 'short')
  expect(await readErrorCode('init', '--json', ...place)).toBe('invalid')
})

test.runIf(process.platform !== 'win32')(
  'an error names the file that the system could not open, and the reason',
  async () => {
    const folder = createTempFolder()
    const place = ['--data-dir', path.join(folder, 'data')]
    vi.stubEnv('COFFER_PASSPHRASE', 'correct horse battery staple')
    expect((await runCommandLine('init', ...place)).code).toBe(0)
    const long = path.join(folder, 'x'.repeat(300))
    const map = path.join(folder, 'a.map.yaml')
    fs.writeFileSync(map, 'type: token\ndata: $a\n')
    for (const words of [
      ['status', '--data-dir', long],
      ['export', '--out', long, ...place],
      ['import', `${long}.csv`, '--map', map, ...place],
      ['backup', '--out', long, ...place],
      ['verify', long],
      ['serve', '--ephemeral', '--port', '0', '--reactors', long],
      ['reactor', 'push', long, '--key', 'k'],
    ]) {
      const { code, error } = await runCommandLine(...words)
      expect([words[0], code, error]).toEqual([
        words[0],
        1,
        expect.stringMatching(/x{300}.* cannot be read or written: its name is too long/),
      ])
    }
    expect(fs.existsSync(path.join(folder, 'data', 'incidents.log'))).toBe(false)
  },
)
