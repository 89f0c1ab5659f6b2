import fs from 'node:fs'
import { CofferError } from '../../../shared/errors.ts'
import { storageError } from '../../engine/db/storage-error.ts'
import { refusalText } from './import-journal.ts'
import type { RefusedLine } from './import-records.ts'

/** The file that names every refused line of an import, each once over all its runs. */
export class ReportFile {
  readonly #file: string
  #written: number

  private constructor(file: string, written: number) {
    this.#file = file
    this.#written = written
  }

  /**
   * A new file, or one that holds what an earlier run of the same import wrote: the beginning of `known`. Throws
   * `conflict` where it holds anything else, `unavailable`, `storage_full`. Before anything is made, as a report that
   * cannot be written would be missed afterwards.
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

  /** Adds what is not in it yet. Throws `unavailable`, `storage_full`. */
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
