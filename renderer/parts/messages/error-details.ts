/**
 * The class of an error and where it happened. SECURITY: without its message, which may hold data; so this can be
 * reported, and copied into a report.
 */
export function getErrorDetails(error: unknown): { readonly class: string; readonly stack: string } {
  if (!(error instanceof Error)) return { class: typeof error, stack: '' }
  const { name, message, stack = '' } = error
  const at = message === '' ? -1 : stack.indexOf(message)
  const frames = at < 0 ? stack : stack.slice(at + message.length)
  return { class: name.slice(0, 100), stack: frames.slice(0, 8000) }
}
