import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { CofferError } from '../../../shared/errors.ts'
import { z } from '../../../shared/zod.ts'
import type { Leftovers } from '../../conform/check-statement.ts'
import { writeAtomically } from '../files/atomic-write.ts'
import { makeFolder } from '../files/make-folder.ts'

const content = z.strictObject({ pid: z.int(), paths: z.array(z.string().startsWith('/')) })

/** The paths that delete what a run has created on a server. The file has neither keys nor values, and goes with its last path. */
export class LeftoversFile implements Leftovers {
  readonly #file: string
  readonly #paths: Set<string>

  private constructor(file: string, paths: ReadonlySet<string>) {
    this.#file = file
    this.#paths = new Set(paths)
  }

  /**
   * Starts the file of a run, with everything that ended runs with this key have left on this server. Another tenant would
   * answer that it has none of that. Throws `damaged` for a file that cannot be read.
   */
  static openFile(dataDir: string, server: string, key: string): LeftoversFile {
    const digest = createHash('sha256').update(`${server}\n${key}`).digest('hex').slice(0, 8)
    const stem = `conform-${new URL(server).host.replace(/[^\w.-]/g, '-')}-${digest}-`
    const ended = listEndedRuns(dataDir, stem)
    const file = new LeftoversFile(
      path.join(dataDir, `${stem}${randomBytes(4).toString('hex')}.json`),
      new Set(ended.flatMap(({ paths }) => paths)),
    )
    if (ended.length > 0) file.#writePaths()
    // A run that was killed while it wrote has left a second file.
    for (const run of ended) for (const end of ['', '.tmp']) fs.rmSync(run.file + end, { force: true })
    return file
  }

  get paths(): readonly string[] {
    return [...this.#paths]
  }

  addPath(added: string): void {
    this.#paths.add(added)
    this.#writePaths()
  }

  removePath(removed: string): void {
    if (this.#paths.delete(removed)) this.#writePaths()
  }

  #writePaths(): void {
    if (this.#paths.size === 0) {
      fs.rmSync(this.#file, { force: true })
      return
    }
    makeFolder(path.dirname(this.#file))
    writeAtomically(this.#file, JSON.stringify({ pid: process.pid, paths: this.paths }), { durable: false })
  }
}

function listEndedRuns(dataDir: string, stem: string) {
  if (!fs.existsSync(dataDir)) return []
  return fs
    .readdirSync(dataDir)
    .filter((name) => name.startsWith(stem) && name.endsWith('.json'))
    .map((name) => path.join(dataDir, name))
    .flatMap((file) => {
      const { pid, paths } = readContent(file)
      return isRunning(pid) ? [] : [{ file, paths }]
    })
}

function readContent(file: string): z.output<typeof content> {
  try {
    return content.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CofferError(
      'damaged',
      `${file} is damaged, so it is unknown what an earlier run has left on the server. On the server, delete everything whose name begins with conform-. Then delete this file.`,
      { cause },
    )
  }
}

/** Whether another process with this number runs. In this process, one run has ended before the next begins. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    // There is no such process, or it belongs to another user, who has other files.
    return false
  }
}
