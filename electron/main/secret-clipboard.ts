import { hash } from 'node:crypto'

/** The methods of the system's clipboard that are used. */
export type Clipboard = {
  readText(): Promise<string>
  writeText(text: string): Promise<void>
  clear(): void
}

/** How long a copied secret stays in the clipboard. */
const SECRET_SECONDS = 30

/**
 * Copies secrets and clears them after 30 seconds, on lock and on quit, but only if the clipboard still holds them
 * (X-40).
 */
export class SecretClipboard {
  readonly #clipboard: Clipboard
  /** SECURITY: a digest of the copied secret; the secret itself is not stored. */
  #copied: string | null = null
  #timer: NodeJS.Timeout | null = null

  constructor(clipboard: Clipboard) {
    this.#clipboard = clipboard
  }

  /** Copies a secret and returns the seconds until it is cleared. */
  async copySecret(text: string): Promise<number> {
    this.#stopTimer()
    const copied = hashText(text)
    this.#copied = copied
    await this.#clipboard.writeText(text)
    // SECURITY: locking during the write clears this secret too.
    if (this.#copied === null) await this.#clearIfUnchanged(copied)
    if (this.#copied !== copied) return SECRET_SECONDS
    this.#timer = setTimeout(() => void this.clearSecret(), SECRET_SECONDS * 1000)
    return SECRET_SECONDS
  }

  /** Clears the last secret now, unless something else has been copied since. Calling this again has no effect. */
  async clearSecret(): Promise<void> {
    this.#stopTimer()
    const copied = this.#copied
    this.#copied = null
    if (copied !== null) await this.#clearIfUnchanged(copied)
  }

  async #clearIfUnchanged(copied: string): Promise<void> {
    if (hashText(await this.#clipboard.readText()) === copied) this.#clipboard.clear()
  }

  #stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}

function hashText(text: string): string {
  return hash('sha256', text)
}
