/** Where the calls of a page go. */
export type Site = { readonly apiKey: unknown; readonly api: string; readonly pages: string }

type Kind = 'method' | 'challenge'

/** A message of the page in the frame or the popup. */
type Message = {
  readonly type?: string
  readonly id?: string
  readonly isCompleted?: boolean
  readonly authenticationStatus?: string
  readonly details?: string
}

const toContainerId = (kind: Kind) => `${kind}FrameContainer`

/** Empties the container of a kind of frame, or creates it. The one for methods is hidden. */
export function prepareContainer(kind: Kind): void {
  const id = toContainerId(kind)
  const existing = document.getElementById(id)
  const container = existing ?? document.createElement('div')
  container.id = id
  container.replaceChildren()
  if (kind === 'method') container.style.display = 'none'
  if (!existing) document.body.append(container)
}

/** Shows a page of Coffer in a frame, and sends it the form with which it opens the page of the bank. */
export function openFrame(
  pages: string,
  kind: Kind,
  form: Readonly<Record<string, unknown>>,
  { width = '0', height = '0', containerId = toContainerId(kind) } = {},
): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  const source = `${pages}/${kind}.html`
  Object.assign(frame, {
    id: `${kind}Iframe`,
    name: `${kind}Iframe`,
    width,
    height,
    frameBorder: '0',
    src: source,
  })
  const type = kind === 'method' ? 'startMethod' : 'startChallenge'
  frame.addEventListener(
    'load',
    () => frame.contentWindow?.postMessage({ type, ...form }, new URL(source).origin),
    { once: true },
  )
  const container = document.getElementById(containerId)
  if (!container) throw new Error(`The page has no element with the id ${containerId}.`)
  container.append(frame)
  return frame
}

/** Opens a window and sends a form to it. */
export function openPopup(name: string, action: string, field: string, value: string, features = ''): Window {
  const popup = window.open('', name, features)
  if (!popup) throw new Error('Popup blocked or unable to open the window.')
  const form = document.createElement('form')
  Object.assign(form, { action, method: 'POST', target: name, hidden: true })
  const input = document.createElement('input')
  Object.assign(input, { name: field, value })
  form.append(input)
  document.body.append(form)
  form.submit()
  form.remove()
  return popup
}

/**
 * Waits for the message that a page is complete. Resolves to null after the timeout. SECURITY: accepts messages only
 * from the frame or popup that was opened, not from others in the page.
 */
export function waitForMessage(kind: Kind, sender: Window | null, timeout: number): Promise<Message | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Message | null>()
  function handleMessage({ source, data }: MessageEvent<Message | null>): void {
    if (source !== sender || typeof data !== 'object' || data === null) return
    if (data.type === 'error') reject(new Error(String(data.details)))
    else if (data.type === kind) resolve(data)
  }
  window.addEventListener('message', handleMessage)
  const timer = setTimeout(() => resolve(null), timeout)
  return promise.finally(() => {
    clearTimeout(timer)
    window.removeEventListener('message', handleMessage)
    document.getElementById(`${kind}Iframe`)?.remove()
  })
}

/** Encodes a 3D Secure message: JSON in base64url. */
export function encodeMessage(message: object): string {
  return btoa(JSON.stringify(message)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
