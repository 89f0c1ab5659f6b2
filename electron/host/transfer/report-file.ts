import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { toStorageError } from '../../engine/index.ts'
import { formatRefusedLines } from './import-journal.ts'
import type { RejectedLine } from './import-records.ts'

/** The report of an import: every rejected line once, over all its runs. */
export class ReportFile {
  readonly #file: string
  #written: number

  private constructor(file: string, written: number) {
    this.#file = file
    this.#written = written
  }

  /**
   * Opens a new report, or the one that an earlier run of the same import wrote: its lines must be the first of
   * `known`. Throws `unavailable`, `storage_full`, and `conflict` if the file holds anything else. Call this before
   * creating tokens, so that an unwritable report is noticed in time.
   */
  static open(file: string, known: readonly RejectedLine[]): ReportFile {
    try {
      fs.closeSync(fs.openSync(file, 'a', 0o600))
      const existing = fs.statSync(file).isFile() ? fs.readFileSync(file) : Buffer.alloc(0)
      const expected = Buffer.from(formatRefusedLines(known))
      if (expected.subarray(0, existing.length).equals(existing)) return new ReportFile(file, existing.length)
    } catch (error) {
      throw toStorageError(error, file)
    }
    throw new CofferError(
      'conflict',
      `${file} already exists and is not the report of this import. It was not changed. Name another file with --report, or remove it.`,
    )
  }

  /** Appends the lines that the report does not contain yet. Throws `unavailable`, `storage_full`. */
  appendLines(lines: readonly RejectedLine[]): void {
    const text = Buffer.from(formatRefusedLines(lines)).subarray(this.#written)
    try {
      fs.appendFileSync(this.#file, text)
    } catch (error) {
      throw toStorageError(error, this.#file)
    }
    this.#written += text.length
  }
}
