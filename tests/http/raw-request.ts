import net from 'node:net'

/** Whether received text starts with a complete response, by its Content-Length. */
function isWhole(text: string): boolean {
  const top = text.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, top + 2))?.[1]
  return top >= 0 && length !== undefined && text.length >= top + 4 + Number(length)
}

/**
 * Sends raw bytes. Returns everything received until the connection is closed or, if the bytes have no `Connection:
 * close`, the first response.
 */
export function sendRawRequest(port: number, bytes: string): Promise<string> {
  const closes = /\r\nconnection: close\r\n/i.test(bytes)
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1')
      if (!closes && isWhole(response)) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(response))
  })
}

/** Sends raw bytes, and returns the status of the response. */
export async function fetchRawStatus(port: number, bytes: string): Promise<string> {
  return (await sendRawRequest(port, bytes)).slice(9, 12)
}
