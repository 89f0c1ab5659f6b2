import type { Options } from '../../protocol.ts'
import { iconValue } from '../style.ts'
import { svg } from './svg.ts'

const shownDone = 1500

/** Puts a text into the clipboard; false if the browser does not allow it. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // A page of plain http has no clipboard of its own, and some browsers ask nobody.
    return copiedByCommand(text)
  }
}

function copiedByCommand(text: string): boolean {
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  document.addEventListener('copy', put, { once: true })
  try {
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', put)
  }
}

export type CopyIcon = { button: HTMLButtonElement; restyle(styles: Options['copyIconStyles']): void }

/** A button beside an input that copies its value. */
export function copyIcon(label: string, read: () => string, done: () => void): CopyIcon {
  const icon = svg('0 0 20 20', [
    [
      'path',
      { d: 'M7 7V3h10v10h-4M3 7h10v10H3z', fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5 },
    ],
  ])
  const button = document.createElement('button')
  let style: Options['copyIconStyles']
  let timer = 0

  function colour(value: unknown): void {
    button.style.setProperty('color', iconValue(value) ?? '')
  }
  function restyle(styles: Options['copyIconStyles']): void {
    style = styles
    const size = iconValue(style?.size) ?? ''
    icon.style.setProperty('width', size)
    icon.style.setProperty('height', size)
    colour(style?.color)
  }

  button.type = 'button'
  button.className = 'copy'
  button.setAttribute('aria-label', label)
  button.append(icon)
  button.addEventListener('click', async (event) => {
    // SECURITY: a person's own click alone puts a value into the clipboard.
    const value = read()
    if (!event.isTrusted || value === '' || !(await copied(value))) return
    colour(style?.successColor ?? '#1a7f37')
    clearTimeout(timer)
    timer = window.setTimeout(() => colour(style?.color), shownDone)
    done()
  })
  return { button, restyle }
}
