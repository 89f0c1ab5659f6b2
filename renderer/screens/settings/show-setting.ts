const MAX_WAIT_MS = 3000

/**
 * Scrolls to the setting with this label and focuses its control, as soon as its section shows it. Returns the function
 * that stops waiting for it.
 */
export function showSetting(body: HTMLElement, label: string): () => void {
  const observer = new MutationObserver(() => tryShow(body, label) && stopWaiting())
  const timer = setTimeout(stopWaiting, MAX_WAIT_MS)
  function stopWaiting() {
    clearTimeout(timer)
    observer.disconnect()
  }
  if (tryShow(body, label)) stopWaiting()
  else observer.observe(body, { childList: true, subtree: true, characterData: true })
  return stopWaiting
}

function tryShow(body: HTMLElement, label: string): boolean {
  const texts = body.querySelectorAll<HTMLElement>('label, legend, h3, button, dt, p')
  const found = [...texts].find((element) => element.textContent?.trim().startsWith(label))
  if (!found) return false
  found.scrollIntoView({ block: 'center' })
  const control =
    found instanceof HTMLLabelElement ? found.control : found instanceof HTMLButtonElement ? found : null
  control?.focus({ preventScroll: true })
  return true
}
