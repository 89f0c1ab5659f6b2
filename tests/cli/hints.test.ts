import path from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { getProgramName } from '../../electron/cli/hint.ts'
import { createTempFolder } from '../vault.ts'
import { runCommandLine } from './in-process.ts'

beforeEach(() => {
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
  vi.stubEnv('COFFER_PASSPHRASE', 'correct horse battery staple')
  return () => vi.unstubAllEnvs()
})

test.each([
  ['a program on the PATH', '/usr/local/bin/coffer', {}, false, 'coffer'],
  ['npm start in a clone', '/c/electron/cli/run.mjs', { npm_command: 'start' }, true, 'npm run -s coffer --'],
  ['a clone without npm', '/c/electron/cli/run.mjs', {}, true, 'npm run -s coffer --'],
  [
    'npx in a project',
    '/p/node_modules/.bin/coffer',
    { npm_command: 'exec' },
    false,
    'npx --no-install coffer',
  ],
  [
    'a script of a project',
    '/p/node_modules/.bin/coffer',
    { npm_command: 'run' },
    false,
    'npx --no-install coffer',
  ],
  ['a linked clone', '/usr/local/bin/coffer', {}, true, 'coffer'],
  ['a container', '/coffer/electron/cli/run.mjs', {}, false, 'coffer'],
])(
  'when started as %s, a hint names the command as it can be typed',
  (_, script, env, isCheckout, expected) => {
    expect(getProgramName({ script, env, isCheckout })).toBe(expected)
  },
)

test('every suggested command repeats the --vault and --data-dir of the run', async () => {
  const dataDir = path.join(createTempFolder(), "it's here")
  const place = ['--data-dir', dataDir, '--vault', 'work']
  const here = `--vault work --data-dir '${dataDir.replace("'", "'\\''")}'`
  const runCoffer = (...words: string[]) => runCommandLine(...words, ...place)
  expect((await runCoffer('keys', 'list')).error).toBe(
    `There is no vault work in ${dataDir}. Create it with: npm run -s coffer -- init ${here}`,
  )
  expect((await runCoffer('backup')).error).toContain(`coffer -- init ${here}`)
  expect((await runCoffer('doctor')).out).toContain(`coffer -- init ${here}`)
  expect((await runCoffer('status')).out).toContain(`coffer -- init ${here}`)
  expect((await runCoffer('init')).out).toContain(`\nNext: npm run -s coffer -- serve ${here}\n`)
  expect((await runCoffer('init')).error).toMatch(
    /^The vault work already exists in .*Open it with: .* serve --vault/,
  )
  expect((await runCoffer('env')).out).toContain(`coffer -- keys create --type private ${here}`)
  expect((await runCoffer('doctor')).out).toContain(`coffer -- backup ${here}`)
  const { error } = await runCommandLine('backup', '--data-dir', dataDir)
  expect(error).toMatch(/^There is no vault default in .*\. The folder holds: work\. Create it with: /)
})

test('a suggested command omits options that the environment sets', async () => {
  vi.stubEnv('COFFER_DATA_DIR', path.join(createTempFolder(), 'data'))
  vi.stubEnv('COFFER_VAULT', 'work')
  expect((await runCommandLine('init')).out).toMatch(/\nNext: npm run -s coffer -- serve\n$/)
})
