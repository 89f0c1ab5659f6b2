import type { FromElement, Options, StartedElement, ToElement } from '../protocol.ts'
import { joinDataFrame } from './link.ts'
import { ConfigurationProblem, type Settings, settingsOf, updatedSettings } from './settings.ts'
import { copied } from './view/copy.ts'
import { styleFrame } from './view/sheet.ts'

/** Becomes a button that copies the value of the element it mirrors. Throws a ConfigurationProblem. */
export function startCopyButton(started: StartedElement): void {
  const { port } = started
  let settings: Settings = settingsOf('copyButton', started.options)
  const targetId = settings.options.targetId ?? ''
  let text = ''

  const tell = (message: FromElement) => port.postMessage(message)
  const container = document.createElement('div')
  container.className = 'container'
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'field'
  container.append(button)
  const setStyle = styleFrame(true)

  function apply({ text: label, id, disabled, title, style }: Options): void {
    button.textContent = typeof label === 'string' && label !== '' ? label : 'Copy'
    if (typeof id === 'string') button.id = id
    else button.removeAttribute('id')
    button.title = typeof title === 'string' ? title : ''
    button.disabled = disabled === true
    setStyle(style)
  }

  function update(call: number, options: Options): void {
    try {
      settings = updatedSettings('copyButton', settings, options)
    } catch (error) {
      if (!(error instanceof ConfigurationProblem)) throw error
      tell({ kind: 'updated', call, error: error.plain() })
      return
    }
    apply(settings.options)
    tell({ kind: 'updated', call })
  }

  button.addEventListener('click', async ({ isTrusted }) => {
    tell({ kind: 'event', event: { type: 'click', targetId } })
    // SECURITY: a person's own click alone puts a value into the clipboard.
    if (isTrusted && text !== '' && (await copied(text))) {
      tell({ kind: 'event', event: { type: 'copy', targetId } })
    }
  })

  const link = joinDataFrame(started, {
    // It has no value of its own.
    read: () => ({ problem: 'invalid' }),
    follow() {},
    mirrored(value) {
      const mirrored = Object(value) as { text?: unknown }
      if (typeof mirrored.text === 'string') text = mirrored.text
    },
  })
  if (!link) throw new ConfigurationProblem('The data frame of Elements is not in the page.')

  port.onmessage = ({ data }: MessageEvent<ToElement>) => {
    if (data.kind === 'update') update(data.call, data.options)
    else if (data.kind === 'mirror') link.mirror(data.source)
    else if (data.kind === 'do' && data.command === 'focus') button.focus()
    else if (data.kind === 'do' && data.command === 'blur') button.blur()
    else if (data.kind === 'do' && data.command === 'clear') text = ''
  }

  apply(settings.options)
  document.body.append(container)
  const height = () => tell({ kind: 'height', px: Math.ceil(container.getBoundingClientRect().height) })
  new ResizeObserver(height).observe(container)
  height()
  tell({ kind: 'mounted' })
  tell({ kind: 'event', event: { type: 'ready' } })
}
