const CLEAR_DELAY_MS = 30_000
let secret: { readonly text: string; readonly timer: ReturnType<typeof setTimeout> } | null = null

export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}

/** Copies a secret and clears the clipboard later; resolves to false if the page must do both. */
type SecretCopier = (text: string) => Promise<boolean>
let createSecretCopier: SecretCopier = async () => false

export function setSecretCopier(copier: SecretCopier): void {
  createSecretCopier = copier
}

/**
 * Copies a secret and clears it after 30 seconds, unless something else was copied since. Resolves to false
 * if the browser does not let the page clear the clipboard.
 */
export async function copySecret(text: string): Promise<boolean> {
  // If Coffer cannot be reached, the page copies the secret, because a key shown only once must not be lost.
  if (await createSecretCopier(text).catch(() => false)) return true
  await navigator.clipboard.writeText(text)
  if (secret) clearTimeout(secret.timer)
  secret = { text, timer: setTimeout(clearSecret, CLEAR_DELAY_MS) }
  return mayRead().catch(() => false)
}

/** Clears a copied secret now, if it is still on the clipboard and this page may read the clipboard. */
export async function clearSecret(): Promise<void> {
  if (!secret) return
  const { text, timer } = secret
  clearTimeout(timer)
  secret = null
  try {
    if ((await mayRead()) && (await navigator.clipboard.readText()) === text) {
      await navigator.clipboard.writeText('')
    }
  } catch {
    // The browser does not support this permission, so the page cannot read the clipboard.
  }
}

/** Whether this page may read the clipboard. Does not prompt. */
async function mayRead(): Promise<boolean> {
  const { state } = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })
  return state === 'granted'
}
