const FORGET_MS = 30_000
let secret: { readonly text: string; readonly timer: ReturnType<typeof setTimeout> } | null = null

/** Puts a text on the clipboard. */
export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text)
}

/** Copies a secret to a clipboard that forgets by itself; false where the page has to do it. */
type SecretCopier = (text: string) => Promise<boolean>
let copier: SecretCopier = async () => false

/** Names what copies secrets from now on. */
export function setSecretCopier(wanted: SecretCopier): void {
  copier = wanted
}

/** Puts a secret on the clipboard and takes it off after 30 seconds, unless something else was copied since. */
export async function copySecret(text: string): Promise<void> {
  // The page copies on its own where Coffer is gone: a key that is shown once must not be out of reach then.
  if (await copier(text).catch(() => false)) return
  await navigator.clipboard.writeText(text)
  if (secret) clearTimeout(secret.timer)
  secret = { text, timer: setTimeout(forgetSecret, FORGET_MS) }
}

/** Takes a copied secret off the clipboard now, where it still is and this page may look. */
export async function forgetSecret(): Promise<void> {
  if (!secret) return
  const { text, timer } = secret
  clearTimeout(timer)
  secret = null
  try {
    // Asking must not raise a question of the browser's own.
    const { state } = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })
    if (state === 'granted' && (await navigator.clipboard.readText()) === text) {
      await navigator.clipboard.writeText('')
    }
  } catch {
    // A browser without this permission keeps the clipboard to itself.
  }
}
