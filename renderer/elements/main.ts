import { startData } from './data/start.ts'
import { startElement } from './frame/start.ts'
import type { Hello, Listening } from './protocol.ts'

// The script of every frame: receives the page's Hello, then starts an element or the data frame.

const params = new URL(location.href).searchParams
const origin = params.get('origin') ?? ''
const id = params.get('id') ?? ''

/**
 * SECURITY: accepts only the first message, from the embedding window, with the origin that the vault has
 * allowed to embed it.
 */
function handleHello({ source, origin: sender, data, ports }: MessageEvent): void {
  const hello = data as Hello | null
  const [port, ...more] = ports
  if (source !== window.parent || sender !== origin || !port || more.length > 0) return
  if (hello?.coffer !== 'elements' || hello.id !== id) return
  window.removeEventListener('message', handleHello)
  const { instance, role, data: name } = hello
  const started = { instance, id, data: name, origin, port }
  if (role.type === 'data') startData({ ...started, apiKey: role.apiKey, debug: role.debug })
  else startElement({ ...started, type: role.type, options: role.options })
}

if (window.parent !== window) {
  window.addEventListener('message', handleHello)
  window.parent.postMessage({ coffer: 'listening', id } satisfies Listening, origin)
}
