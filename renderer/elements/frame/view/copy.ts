import type { ElementOptions } from '../../protocol.ts'
import { toSafeIconValue } from '../style.ts'
import { createSvg } from './svg.ts'

const SUCCESS_DISPLAY_MS = 1500

/** Copies text to the clipboard. Resolves to false if the browser does not allow it. */
export async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Pages over plain http have no clipboard API, and some browsers refuse without asking.
    return copyByCommand(text)
  }
}

function copyByCommand(text: string): boolean {
  const setClipboardData = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  document.addEventListener('copy', setClipboardData, { once: true })
  try {
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', setClipboardData)
  }
}

export type CopyIcon = { button: HTMLButtonElement; restyle(styles: ElementOptions['copyIconStyles']): void }

/** A button next to an input that copies its value. */
export function createCopyIcon(label: string, read: () => string, onCopy: () => void): CopyIcon {
  const icon = createSvg('0 0 20 20', [
    [
      'path',
      { d: 'M7 7V3h10v10h-4M3 7h10v10H3z', fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 },
    ],
  ])
  const button = document.createElement('button')
  let style: ElementOptions['copyIconStyles']
  let timer = 0

  function setColour(value: unknown): void {
    button.style.setProperty('color', toSafeIconValue(value) ?? '')
  }
  function applyStyles(styles: ElementOptions['copyIconStyles']): void {
    style = styles
    const size = toSafeIconValue(style?.size) ?? ''
    icon.style.setProperty('width', size)
    icon.style.setProperty('height', size)
    setColour(style?.color)
  }

  button.type = 'button'
  button.className = 'copy'
  button.setAttribute('aria-label', label)
  button.append(icon)
  button.addEventListener('click', async (event) => {
    // SECURITY: only a real click may put a value on the clipboard.
    const value = read()
    if (!event.isTrusted || value === '' || !(await copyToClipboard(value))) return
    setColour(style?.successColor ?? '#1a7f37')
    clearTimeout(timer)
    timer = window.setTimeout(() => setColour(style?.color), SUCCESS_DISPLAY_MS)
    onCopy()
  })
  return { button, restyle: applyStyles }
}
