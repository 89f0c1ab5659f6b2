import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { refusalText } from './import-journal.ts'
import type { RefusedLine } from './import-records.ts'

/** The report of an import: every refused line once, over all its runs. */
export class ReportFile {
  readonly #file: string
  #written: number

  private constructor(file: string, written: number) {
    this.#file = file
    this.#written = written
  }

  /**
   * Opens a new report, or the one an earlier run of the same import wrote: the beginning of `known`. Throws
   * `conflict` where it holds anything else, `unavailable`, `storage_full`. Call this before creating tokens, so that
   * an unwritable report is noticed in time.
   */
  static open(file: string, known: readonly RefusedLine[]): ReportFile {
    try {
      fs.closeSync(fs.openSync(file, 'a', 0o600))
      const there = fs.statSync(file).isFile() ? fs.readFileSync(file) : Buffer.alloc(0)
      const expected = Buffer.from(refusalText(known))
      if (expected.subarray(0, there.length).equals(there)) return new ReportFile(file, there.length)
    } catch (error) {
      throw storageError(error, file)
    }
    throw new CofferError(
      'conflict',
      `${file} already exists and is not the report of this import. It was left as it is. Name another file with --report, or remove it.`,
    )
  }

  /** Appends the lines not in it yet. Throws `unavailable`, `storage_full`. */
  write(lines: readonly RefusedLine[]): void {
    const text = Buffer.from(refusalText(lines)).subarray(this.#written)
    try {
      fs.appendFileSync(this.#file, text)
    } catch (error) {
      throw storageError(error, this.#file)
    }
    this.#written += text.length
  }
}
