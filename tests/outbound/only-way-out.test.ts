import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..', '..')

/** Matches code that opens a connection in Node, with any way of importing the module. */
const connects =
  /\b(?:https?|http2|tls|net)\.(?:request|get|connect|createConnection)\(|\bnew (?:net\.)?Socket\(|\bhttps?\.Agent\(|(?<![.\w])fetch\(|(?:from |import\()'undici'/

/**
 * The files that may open connections, each with its reason. The linter prevents all others from importing these
 * modules.
 */
const known = [
  // These files send single requests to this program's own listener, to the running Coffer, or to the test vault.
  'electron/host/send-request.ts',
  'electron/cli/terminal/request-server.ts',
  'electron/testing/child-process.ts',
  // This file sends requests to the server that the owner pushes tokens to.
  // This file connects to the socket file of the session bus.
  'electron/host/keys/session-bus.ts',
  // This file connects to a socket file of this user, for an open vault.
  'electron/host/control/socket-folder.ts',
  // This file connects to an abstract socket of its own process while it overwrites a buffer.
  'electron/host/jobs/wipe-freed-memory.ts',
  // This file opens a pipe that was passed to the program when it started.
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
