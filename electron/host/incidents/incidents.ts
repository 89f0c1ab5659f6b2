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

/** The most of one kind kept per minute: a full disk fails thousands of times. */
const MOST_A_MINUTE = 20
const MOST_KINDS = 200
/** The most that are shown, and kept in memory where no file takes them. */
const MOST_SHOWN = 50

type Kind = { since: number; count: number; left_out: number }

/** Receives every recorded incident, as text for a terminal. */
let tell: ((text: string) => void) | null = null

/** Prints the incidents of this process from now on (`--verbose`), or stops doing so. */
export function printIncidents(print: ((text: string) => void) | null): void {
  tell = print
}

const keepers = new Map<string | null, Incidents>()

/** The incidents of a data folder, or of in-memory vaults: one instance per process. */
export function incidentsOf(dataDir: string | null): Incidents {
  const known = keepers.get(dataDir)
  if (known) return known
  const made = new Incidents(dataDir === null ? null : incidentFile(dataDir))
  keepers.set(dataDir, made)
  return made
}

/**
 * Records internal errors, so that they can be found by trace id. Each is written at once, by the calling thread,
 * because the process may be about to end. Two files of bounded size take less code than a rotation in a worker.
 */
export class Incidents {
  readonly file: string | null
  readonly #kinds = new Map<string, Kind>()
  /** Incidents that could not be written. */
  readonly #unwritten: Incident[] = []

  constructor(file: string | null) {
    this.file = file
  }

  /** Records an incident. Never throws. */
  readonly keep = (given: Incident): void => {
    const left_out = this.#admit(given)
    if (left_out === null) return
    const kept = left_out === 0 ? given : { ...given, left_out }
    tell?.(textOf(kept))
    if (this.file !== null && isWritten(this.file, kept)) return
    this.#unwritten.push(kept)
    if (this.#unwritten.length > MOST_SHOWN) this.#unwritten.shift()
  }

  /** Reports an error, unless it was reported before. A refusal is not an incident. */
  report(error: unknown, where: string, trace_id: string | null = null): void {
    if (isReported(error) || (error instanceof CofferError && error.status < 500)) return
    this.keep(incidentOf(error, where, trace_id, Date.now()))
  }

  /** Reports an error from the window's page. */
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

  /**
   * The incidents of the file, including earlier processes, and those that could not be written. Throws where the
   * file cannot be read.
   */
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

  /** How many of this kind were left out before this one; null if this one is left out too. */
  #admit({ where, class: name, code, stack }: Incident): number | null {
    const key = [where, name, code, stack[0]].join('\n')
    // Not the wall clock: changing it must not silence anything.
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
}

function isWritten(file: string, kept: Incident): boolean {
  // SECURITY: incidents are built from an allow-list. The schema, which drops every other member, is the backstop
  // should that ever fail.
  const { data } = incident.safeParse(kept)
  return data !== undefined && appendLine(file, `${JSON.stringify({ level: 'error', ...data })}\n`)
}

function parsed(line: string): Incident[] {
  try {
    const { data } = incident.safeParse(JSON.parse(line))
    return data ? [data] : []
  } catch {
    // A line truncated by a full disk.
    return []
  }
}

function textOf({ time, where, class: name, code, trace_id, stack, left_out }: Incident): string {
  const what = code === null ? name : `${name} ${code}`
  const trace = trace_id === null ? '' : `, trace ${trace_id}`
  const more =
    left_out === undefined ? '' : ` (${left_out} more like this ${left_out === 1 ? 'was' : 'were'} left out)`
  return [
    `internal error: ${what} in ${where}${trace}, ${time}${more}`,
    ...stack.map((each) => `    at ${each}`),
  ].join('\n')
}
