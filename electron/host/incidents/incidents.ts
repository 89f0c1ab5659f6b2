import { createRequire } from 'node:module'
import type { Logger, pino } from 'pino'
import { CofferError } from '../../../shared/errors.ts'
import {
  type Incident,
  type IncidentReport,
  incident,
  type PageIncident,
} from '../../../shared/schemas/incident.ts'
import { isoTime } from '../../../shared/time.ts'
import { framesOfPage, incidentOf, isReported } from '../../engine/door/incident.ts'
import { appendLine, incidentFile, readLines } from './incident-file.ts'

/** So many of one kind are kept a minute: a disk that is full fails thousands of times. */
const MOST_A_MINUTE = 20
const MOST_KINDS = 200
/** So many are shown, and kept in memory where no file takes them. */
const MOST_SHOWN = 50

type Kind = { since: number; count: number; left_out: number }

/** Told of every incident that is kept, as text for a terminal. */
let tell: ((text: string) => void) | null = null

/** Prints the incidents of this process from now on (`--verbose`), or no longer. */
export function printIncidents(print: ((text: string) => void) | null): void {
  tell = print
}

const keepers = new Map<string | null, Incidents>()

/** The incidents of a data folder, or of vaults in memory: one keeper a process. */
export function incidentsOf(dataDir: string | null): Incidents {
  const known = keepers.get(dataDir)
  if (known) return known
  const made = new Incidents(dataDir === null ? null : incidentFile(dataDir))
  keepers.set(dataDir, made)
  return made
}

/**
 * Keeps what failed inside, so that it can be found by its trace id. It is written at once, by the calling thread: the
 * process may be about to end. Two files of bounded size take less code than a rotation that runs in a worker.
 */
export class Incidents {
  readonly file: string | null
  readonly #kinds = new Map<string, Kind>()
  /** What no file took. */
  readonly #unwritten: Incident[] = []
  #logger: Logger | null = null
  /** Whether the last line is in the file. */
  #isWritten = false

  constructor(file: string | null) {
    this.file = file
  }

  /** Keeps an incident. Never throws. */
  readonly keep = (given: Incident): void => {
    const left_out = this.#admit(given)
    if (left_out === null) return
    const kept = left_out === 0 ? given : { ...given, left_out }
    tell?.(textOf(kept))
    if (this.file !== null && this.#write(kept)) return
    this.#unwritten.push(kept)
    if (this.#unwritten.length > MOST_SHOWN) this.#unwritten.shift()
  }

  /** Reports what failed, unless that was done already. A refusal is no failure. */
  report(error: unknown, where: string, trace_id: string | null = null): void {
    if (isReported(error) || (error instanceof CofferError && error.status < 500)) return
    this.keep(incidentOf(error, where, trace_id, Date.now()))
  }

  /** Reports an error of the window's page. */
  reportPage({ class: given, stack, where }: PageIncident): void {
    const name = /^[A-Z][A-Za-z]{0,60}$/.test(given) ? given : 'Error'
    this.keep({
      time: isoTime(Date.now()),
      trace_id: null,
      class: name,
      code: null,
      stack: framesOfPage(stack),
      where: `window: ${where}`,
    })
  }

  /** The incidents of the file, of earlier processes too, and those that no file took. Throws where it cannot be read. */
  look(): IncidentReport {
    const written = this.file === null ? [] : readLines(this.file).flatMap(parsed)
    const all = [...written, ...this.#unwritten].sort((one, other) => (one.time < other.time ? -1 : 1))
    return {
      count: all.length,
      since: all[0]?.time ?? null,
      last: all.at(-1)?.time ?? null,
      file: this.file,
      incidents: all.slice(-MOST_SHOWN),
    }
  }

  /** How many of its kind were left out before this one; null where this one is left out too. */
  #admit({ where, class: name, code, stack }: Incident): number | null {
    const key = [where, name, code, stack[0]].join('\n')
    // Not the wall clock: setting it must not silence anything.
    const now = performance.now()
    const known = this.#kinds.get(key)
    if (known && now - known.since < 60_000) {
      if (known.count >= MOST_A_MINUTE) {
        known.left_out++
        return null
      }
      known.count++
      return 0
    }
    if (!known && this.#kinds.size >= MOST_KINDS) this.#kinds.clear()
    this.#kinds.set(key, { since: now, count: 1, left_out: 0 })
    return known?.left_out ?? 0
  }

  #write(kept: Incident): boolean {
    this.#isWritten = false
    try {
      this.#logger ??= newLogger({
        write: (line) => {
          this.#isWritten = this.file !== null && appendLine(this.file, line)
        },
      })
      this.#logger.error(kept)
    } catch {
      // Too many open files keep the logger from being loaded; then the incident stays in memory.
    }
    return this.#isWritten
  }
}

/** What an error might be spelled as, were one ever handed to the logger as it is. */
const secret = ['message', 'detail', 'cause', 'err', 'error', 'input', 'data', 'key']

function newLogger(stream: { write(line: string): void }): Logger {
  // Loaded for the first incident: most processes have none, and it takes a fifth of a command's start.
  const make = createRequire(import.meta.url)('pino') as typeof pino
  return make(
    {
      base: null,
      timestamp: false,
      formatters: { level: (label) => ({ level: label }) },
      // SECURITY: an incident is made of a list of what may be kept; this holds should that ever fail.
      redact: { paths: secret.flatMap((each) => [each, `*.${each}`]), remove: true },
    },
    stream,
  )
}

function parsed(line: string): Incident[] {
  try {
    const { data } = incident.safeParse(JSON.parse(line))
    return data ? [data] : []
  } catch {
    // A line that was cut off when a disk was full.
    return []
  }
}

function textOf({ time, where, class: name, code, trace_id, stack, left_out }: Incident): string {
  const what = code === null ? name : `${name} ${code}`
  const trace = trace_id === null ? '' : `, trace ${trace_id}`
  const more = left_out === undefined ? '' : ` (${left_out} more like it were left out)`
  return [
    `internal error: ${what} in ${where}${trace}, ${time}${more}`,
    ...stack.map((each) => `    at ${each}`),
  ].join('\n')
}
