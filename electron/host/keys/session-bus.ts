import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'

const BUS_TIMEOUT_MS = 2000

/**
 * Whether the D-Bus session bus responds to a greeting. On Linux, the keychain is reached through this bus, and without
 * a response, the keychain library would wait forever and block the process. Other systems have no bus and count as
 * responding.
 */
export function readBusState(): Promise<'answers' | 'absent' | 'silent'> {
  if (process.platform !== 'linux') return Promise.resolve('answers')
  const socketPath = findBusSocket(process.env)
  if (!socketPath) return Promise.resolve('absent')
  return new Promise((resolve) => {
    const socket = net.connect(socketPath)
    const resolveState = (state: 'answers' | 'absent' | 'silent') => {
      socket.destroy()
      resolve(state)
    }
    socket.setTimeout(BUS_TIMEOUT_MS, () => resolveState('silent'))
    socket.on('error', () => resolveState('absent'))
    socket.on('close', () => resolveState('absent'))
    socket.on('data', () => resolveState('answers'))
    const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex')
    socket.write(`\0AUTH EXTERNAL ${uid}\r\n`)
  })
}

/** Finds the first Unix socket of the session bus in the same way as D-Bus. */
export function findBusSocket(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const address = env.DBUS_SESSION_BUS_ADDRESS
  if (!address) {
    const socket = env.XDG_RUNTIME_DIR && path.join(env.XDG_RUNTIME_DIR, 'bus')
    return socket && fs.existsSync(socket) ? socket : undefined
  }
  const match = /(?:^|;)unix:(?:[^;]*,)?(path|abstract)=([^,;]+)/.exec(address)
  if (!match?.[2]) return undefined
  const name = decodeURIComponent(match[2])
  return match[1] === 'abstract' ? `\0${name}` : name
}
