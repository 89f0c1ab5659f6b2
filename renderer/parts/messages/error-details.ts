/** The class and the stack of an error, for reports. SECURITY: leaves out the message, which may hold data. */
export function getErrorDetails(error: unknown): { readonly class: string; readonly stack: string } {
  if (!(error instanceof Error)) return { class: typeof error, stack: '' }
  const { name, message, stack = '' } = error
  const at = message === '' ? -1 : stack.indexOf(message)
  const frames = at < 0 ? stack : stack.slice(at + message.length)
  return { class: name.slice(0, 100), stack: frames.slice(0, 8000) }
}
