import fs from 'node:fs'
import net from 'node:net'

/**
 * Asks the proxy of an environment file for a connection, as curl does, and returns the status line. The connection is
 * closed then.
 */
export function requestThroughProxy(shellFile: string, authority: string): Promise<string> {
  const [, proxy = ''] = /^export HTTPS_PROXY='(.*)'$/m.exec(fs.readFileSync(shellFile, 'utf8')) ?? []
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(proxy).port), '127.0.0.1')
    socket.on('error', reject)
    socket.once('data', (data) => {
      socket.destroy()
      resolve(String(data).split('\r\n', 1)[0] ?? '')
    })
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nUser-Agent: curl/8.5.0\r\n\r\n`)
  })
}
