import { vi } from 'vitest'
import { AllowedMethods } from '../../electron/http/allowed-methods.ts'

const bodies = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Returns every route with a body that is added while `open` runs, and one that does not exist. */
export async function captureRoutes<T>(
  open: () => Promise<T>,
): Promise<{ opened: T; routes: [string, string][] }> {
  const adding = vi.spyOn(AllowedMethods.prototype, 'addRoute')
  const opened = await open()
  const routes = adding.mock.calls.flatMap(([method, url]) =>
    [method].flat().map((each): [string, string] => [String(each), url.replace(/:\w+|\*/g, 'x')]),
  )
  adding.mockRestore()
  return { opened, routes: [...routes.filter(([method]) => bodies.includes(method)), ['POST', '/nothing']] }
}

/** Returns a request of which all but the last bytes of the body are sent. */
export const formatUnfinished = (host: string | number, method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: ${typeof host === 'number' ? `127.0.0.1:${host}` : host}\r\n${more}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\na`

/** Requests whose responses do not fit into the socket's buffers while the client reads nothing. */
export const formatUnread = (port: number) =>
  `GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(20)
