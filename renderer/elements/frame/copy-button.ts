import type { ElementOptions, FromElement, StartedElement, ToElement } from '../protocol.ts'
import { joinDataFrame } from './link.ts'
import { catchConfigurationError, createSettings, type ElementSettings, updateSettings } from './settings.ts'
import { copyToClipboard } from './view/copy.ts'
import { mountElement } from './view/mount.ts'
import { styleFrame } from './view/sheet.ts'

/** Starts a button that copies the value of the element it mirrors. Throws ConfigurationError. */
export function startCopyButton(started: StartedElement): void {
  const { port } = started
  let settings: ElementSettings = createSettings('copyButton', started.options)
  const targetId = settings.options.targetId ?? ''
  let text = ''

  const post = (message: FromElement) => port.postMessage(message)
  const container = document.createElement('div')
  container.className = 'container'
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'field'
  container.append(button)
  const setStyle = styleFrame(true)

  function applyOptions({ text: label, id, disabled, title, style }: ElementOptions): void {
    button.textContent = typeof label === 'string' && label !== '' ? label : 'Copy'
    if (typeof id === 'string') button.id = id
    else button.removeAttribute('id')
    button.title = typeof title === 'string' ? title : ''
    button.disabled = disabled === true
    setStyle(style)
  }

  function updateOptions(call: number, options: ElementOptions): void {
    const error = catchConfigurationError(() => {
      settings = updateSettings('copyButton', settings, options)
      applyOptions(settings.options)
    })
    post({ kind: 'updated', call, ...(error && { error }) })
  }

  button.addEventListener('click', async ({ isTrusted }) => {
    post({ kind: 'event', event: { type: 'click', targetId } })
    // SECURITY: only a real click may put a value on the clipboard.
    if (isTrusted && text !== '' && (await copyToClipboard(text))) {
      post({ kind: 'event', event: { type: 'copy', targetId } })
    }
  })

  const link = joinDataFrame(started, {
    // A copy button has no value.
    readValue: () => ({ problem: 'invalid' }),
    onFollow() {},
    onMirrorValue(value) {
      const mirrored = Object(value) as { text?: unknown }
      if (typeof mirrored.text === 'string') text = mirrored.text
    },
  })

  port.onmessage = ({ data }: MessageEvent<ToElement>) => {
    if (data.kind === 'update') updateOptions(data.call, data.options)
    else if (data.kind === 'mirror') link.mirror(data.source)
    else if (data.kind === 'do' && data.command === 'focus') button.focus()
    else if (data.kind === 'do' && data.command === 'blur') button.blur()
    else if (data.kind === 'do' && data.command === 'clear') text = ''
  }

  applyOptions(settings.options)
  mountElement(container, post)
  post({ kind: 'event', event: { type: 'ready' } })
}
