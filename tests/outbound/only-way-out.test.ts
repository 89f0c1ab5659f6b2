import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..', '..')

/** Matches code that opens a connection in Node, however the module was imported. */
const connects =
  /\b(?:https?|http2|tls|net)\.(?:request|get|connect|createConnection)\(|\bnew (?:net\.)?Socket\(|\bhttps?\.Agent\(|(?<![.\w])fetch\(|(?:from |import\()'undici'/

/** Every exception, with its reason; the linter keeps all other files from importing these modules. */
const known = [
  // One request to this program's own listener, to the running Coffer, or to the test vault.
  'electron/host/send-request.ts',
  'electron/cli/terminal/request-server.ts',
  'electron/testing/child-process.ts',
  // The server that the owner pushes tokens to.
  'electron/host/transfer/push-request.ts',
  // A socket file of the session bus.
  'electron/host/keys/session-bus.ts',
  // A socket file of this user, for an open vault.
  'electron/host/control/socket-folder.ts',
  // An abstract socket of this process, for as long as overwriting a buffer takes.
  'electron/host/jobs/wipe-freed-memory.ts',
  // A pipe that was open when the program started.
  'electron/host/transfer/pipe.ts',
  'electron/outbound/outbound.ts',
]

test('X-52 only outbound/ connects to a destination of a call', () => {
  const files = fs
    .readdirSync(path.join(root, 'electron'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|mjs)$/.test(file))
    .map((file) => `electron/${file.split(path.sep).join('/')}`)
  const connecting = files.filter((file) =>
    fs
      .readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .some((line) => !/^\s*(\/\/|\/?\*)/.test(line) && connects.test(line)),
  )
  expect(connecting.sort()).toEqual(known.sort())
})
