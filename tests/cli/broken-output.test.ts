import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createTempFolder } from '../vault.ts'
import { builtCli } from './run-coffer.ts'

const formatProgram = (program: string) =>
  `"${process.execPath}" --disable-warning=ExperimentalWarning "${program}"`

const runShell = (line: string) => spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: 60_000 })

test.runIf(process.platform !== 'win32')(
  'a command exits without an error message when its reader closes the pipe',
  () => {
    const { stdout, stderr } = runShell(`${formatProgram(builtCli)} export-openapi | head -c 1`)
    expect([stdout, stderr]).toEqual(['{', ''])
  },
)

test.runIf(process.platform === 'linux')('a command reports why its output cannot be written', () => {
  const { status, stderr } = runShell(`${formatProgram(builtCli)} man > /dev/full`)
  expect(status).toBe(1)
  expect(stderr).toMatch(/^coffer: The output cannot be written: the disk is full\. .*\n$/)
})

test.runIf(process.platform === 'linux')(
  'init says how to create new keys if it could not print them',
  () => {
    const words = `init --json --data-dir '${createTempFolder()}'`
    const { status, stderr } = runShell(
      `COFFER_PASSPHRASE='correct horse battery staple' ${formatProgram(builtCli)} ${words} > /dev/full`,
    )
    expect(status).toBe(1)
    expect(stderr).toMatch(/the disk is full\. .* The vault was created.* recovery-key .* keys create /)
  },
)

/** Returns a function that formats a command line of Coffer with a data folder of its own. */
function createPlace() {
  const folder = createTempFolder()
  const formatCoffer = (words: string) =>
    `COFFER_PASSPHRASE='correct horse battery staple' ${formatProgram(builtCli)} ${words} --data-dir '${folder}'`
  return {
    folder,
    formatCoffer,
    runLosingOutput: (words: string) =>
      runShell(`{ ${formatCoffer(words)}; echo "ended $?" >&2; } | true`).stderr,
    createVault: () => expect(runShell(formatCoffer('init')).status).toBe(0),
  }
}

test.runIf(process.platform === 'linux').for(['init', 'init --json'])(
  '%s whose output is lost exits with 1 and says what it has done',
  (words) => {
    const { runLosingOutput } = createPlace()
    expect(runLosingOutput(words)).toMatch(/The vault was created.* recovery-key .*\nended 1\n$/)
  },
)

test.runIf(process.platform === 'linux')('recovery-key whose output is lost changes nothing', () => {
  const { runLosingOutput, createVault } = createPlace()
  createVault()
  expect(runLosingOutput('recovery-key')).toMatch(
    /cannot be written: .*\. Nothing has changed: the old recovery key stays valid\.\nended 1\n$/,
  )
})

test
  .runIf(process.platform === 'linux')
  .for(['serve', 'serve --json', 'serve --ephemeral', 'serve --ephemeral --json'])(
  '%s whose output is lost exits with 1',
  (words) => {
    const { runLosingOutput, createVault } = createPlace()
    if (!words.includes('--ephemeral')) createVault()
    expect(runLosingOutput(`${words} --port 0 --until-input-ends`)).toMatch(
      /^coffer: The output cannot be written: .*\.\nended 1\n$/,
    )
  },
)

test.runIf(process.platform === 'linux')(
  'backup and restore whose output is lost exit with 1 and say what they have done',
  () => {
    const { folder, formatCoffer, createVault } = createPlace()
    createVault()
    const backup = runShell(`${formatCoffer(`backup --out '${folder}/b'`)} > /dev/full`)
    expect(backup).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/The backup was created and verified: .*\/b\n$/),
    })
    const restored = runShell(`${formatCoffer(`restore '${folder}/b' --vault again --yes`)} > /dev/full`)
    expect(restored).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/The vault again was restored\.\n$/),
    })
  },
)

test('serve keeps running when its reader closes the pipe after one line', async () => {
  const words = ['serve', '--ephemeral', '--port', '0', '--json', '--no-config', '--until-input-ends']
  const child = spawn(process.execPath, [builtCli, ...words], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  let line = ''
  // Leaving the loop closes the pipe.
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    line += chunk
    if (line.includes('\n')) break
  }
  const { status } = await fetch(`${JSON.parse(line).url}/_coffer/ready`)
  expect(status).toBe(200)
  child.stdin.end()
  expect(await ended).toEqual([0, null])
})
