import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** The folder of the files that programs of one run read. It is private to this user, and removed at the end. */
export class RunFolder {
  // Programs may change their folder, and a TMPDIR may be relative.
  readonly path = fs.mkdtempSync(path.resolve(os.tmpdir(), 'coffer-as-hosted-'))
  readonly #removeFolder = () => fs.rmSync(this.path, { recursive: true, force: true })

  constructor() {
    process.on('exit', this.#removeFolder)
  }

  /** Writes a file that only this user may read, and returns its path. */
  writeFile(name: string, content: string | Uint8Array): string {
    const file = path.join(this.path, name)
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    fs.writeFileSync(file, content, { mode: 0o600 })
    return file
  }

  /** Removes the folder. Safe to repeat. */
  removeFiles(): void {
    process.off('exit', this.#removeFolder)
    this.#removeFolder()
  }
}
