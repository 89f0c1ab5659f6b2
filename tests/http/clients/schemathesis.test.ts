import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder } from '../../vault.ts'
import { runCommand } from './matrix/command.ts'
import { type MatrixServer, startMatrixServer } from './matrix/matrix-server.ts'
import { describeMissingPythonWith, findPythonWith } from './python.ts'
import { isTimeOver } from './timeouts.ts'

const packages = ['schemathesis==4.32.5']

/** The operations that need the key of a backend or of a web page; the others get that of a management application. */
function writeKeys(folder: string, { MANAGEMENT, BACKEND, BROWSER }: MatrixServer): void {
  const toHeader = (key: string) => `headers = { "SVC-API-KEY" = "${key}" }`
  const lines = [
    toHeader(MANAGEMENT),
    '[[operations]]',
    'include-tag = ["accountUpdater", "documents", "enrichments", "threeDs", "tokenIntents", "tokens"]',
    toHeader(BACKEND),
    '[[operations]]',
    'include-operation-id = ["Reactors_React", "Reactors_ReactAsync", "Reactors_ResultGetById", "Sessions_Authorize"]',
    toHeader(BACKEND),
    '[[operations]]',
    'include-operation-id = ["Sessions_Create"]',
    toHeader(BROWSER),
  ]
  fs.writeFileSync(path.join(folder, 'schemathesis.toml'), lines.join('\n'))
}

// `npm run clients` sets this mode.
test.runIf(process.env.MODE === 'clients')(
  'A-16 schemathesis finds no answer that the OpenAPI document does not describe',
  { timeout: 600_000 },
  async ({ skip }) => {
    const reason = isTimeOver() ? 'the time for all clients is up' : describeMissingPythonWith(packages)
    if (reason !== null) skip(reason)
    const world = await startMatrixServer()
    // It reads its configuration from the folder that it runs in, and keeps what it found there.
    const cwd = createTempFolder()
    writeKeys(cwd, world)
    const args = [
      ...['-m', 'schemathesis.cli', 'run', `${world.URL}/openapi.json`],
      ...['--seed', '1', '--max-examples', '3', '--phases', 'examples,fuzzing,stateful', '--no-color'],
      // Some conditions cannot be written down: that a cursor came from the page before, or that an application exists.
      ...['--checks', 'all', '--exclude-checks', 'positive_data_acceptance'],
      // The calls of proxies go elsewhere, and the test controls change the vault and its clock.
      ...['--exclude-path-regex', '^/(_coffer|proxy)', '--exclude-deprecated'],
    ]
    const output = await runCommand(findPythonWith(packages), args, { cwd }).catch(
      ({ stdout, message }: { stdout?: string; message: string }) => stdout || message,
    )
    expect(output).toMatch(/No issues found|passed/)
    expect(output).not.toMatch(/Failures:|Errors:|Traceback/)
  },
)
