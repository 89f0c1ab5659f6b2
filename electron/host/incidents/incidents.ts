import { CofferError } from '../../../shared/errors.ts'
import {
  type Incident,
  type IncidentReport,
  incident,
  type PageIncident,
} from '../../../shared/schemas/incident.ts'
import { formatIsoTime } from '../../../shared/time.ts'
import { isReported, parsePageFrames, toIncident } from '../../engine/index.ts'
import { appendLine, getIncidentFile, readIncidentLines } from './incident-file.ts'

/** The maximum number of incidents of one kind per minute, because a full disk can cause thousands of them. */
const MAX_PER_MINUTE = 20
const MAX_KINDS = 200
/** The maximum number of incidents that are listed, and of those held in memory because they could not be written. */
const MAX_LISTED = 50

type IncidentCount = { since: number; count: number; left_out: number }

/** Receives every recorded incident as text for a terminal. */
let printIncident: ((text: string) => void) | null = null

/** Prints the incidents of this process from now on (`--verbose`), or stops printing them. */
export function setIncidentPrinter(print: ((text: string) => void) | null): void {
  printIncident = print
}

const instances = new Map<string | null, Incidents>()

/**
 * Returns the incidents of a data folder, or of in-memory vaults if `dataDir` is null: one instance per process and
 * folder.
 */
export function getIncidents(dataDir: string | null): Incidents {
  const known = instances.get(dataDir)
  if (known) return known
  const created = new Incidents(dataDir === null ? null : getIncidentFile(dataDir))
  instances.set(dataDir, created)
  return created
}

/**
 * Records internal errors, so that they can be found by trace id. Each is written immediately by the calling thread,
 * because the process may be about to end.
 */
export class Incidents {
  readonly file: string | null
  readonly #kinds = new Map<string, IncidentCount>()
  /** Incidents that could not be written. */
  readonly #unwritten: Incident[] = []

  constructor(file: string | null) {
    this.file = file
  }

  /** Records an incident. Never throws. */
  readonly recordIncident = (newIncident: Incident): void => {
    const left_out = this.#admitIncident(newIncident)
    if (left_out === null) return
    const recorded = left_out === 0 ? newIncident : { ...newIncident, left_out }
    printIncident?.(formatIncident(recorded))
    if (this.file !== null && writeIncident(this.file, recorded)) return
    this.#unwritten.push(recorded)
    if (this.#unwritten.length > MAX_LISTED) this.#unwritten.shift()
  }

  /** Reports an error, unless it was reported before. A rejected call is not an incident. */
  reportError(error: unknown, where: string, trace_id: string | null = null): void {
    if (isReported(error) || (error instanceof CofferError && error.status < 500)) return
    this.recordIncident(toIncident(error, where, trace_id, Date.now()))
  }

  /** Reports an error from the window's page. */
  reportPage({ class: className, stack, where }: PageIncident): void {
    const name = /^[A-Z][A-Za-z]{0,60}$/.test(className) ? className : 'Error'
    this.recordIncident({
      time: formatIsoTime(Date.now()),
      trace_id: null,
      class: name,
      code: null,
      stack: parsePageFrames(stack),
      where: `window: ${where}`,
    })
  }

  /**
   * Reads the incidents of the file, including those of earlier processes, and those that could not be written.
   * Throws if the file cannot be read.
   */
  readReport(): IncidentReport {
    const written = this.file === null ? [] : readIncidentLines(this.file).flatMap(parseLine)
    const all = [...written, ...this.#unwritten].sort((one, other) => (one.time < other.time ? -1 : 1))
    return {
      count: all.length,
      since: all[0]?.time ?? null,
      last: all.at(-1)?.time ?? null,
      file: this.file,
      incidents: all.slice(-MAX_LISTED),
    }
  }

  /** Returns how many of this kind were skipped before this one, or null to skip this one too. */
  #admitIncident({ where, class: name, code, stack }: Incident): number | null {
    const key = [where, name, code, stack[0]].join('\n')
    // The monotonic clock, because a change of the wall clock must not suppress incidents.
    const now = performance.now()
    const known = this.#kinds.get(key)
    if (known && now - known.since < 60_000) {
      if (known.count >= MAX_PER_MINUTE) {
        known.left_out++
        return null
      }
      known.count++
      return 0
    }
    if (!known && this.#kinds.size >= MAX_KINDS) this.#kinds.clear()
    this.#kinds.set(key, { since: now, count: 1, left_out: 0 })
    return known?.left_out ?? 0
  }
}

function writeIncident(file: string, recorded: Incident): boolean {
  // SECURITY: incidents are built from an allow-list. As a second barrier, the schema drops every other member.
  const { data } = incident.safeParse(recorded)
  return data !== undefined && appendLine(file, `${JSON.stringify({ level: 'error', ...data })}\n`)
}

function parseLine(line: string): Incident[] {
  try {
    const { data } = incident.safeParse(JSON.parse(line))
    return data ? [data] : []
  } catch {
    // A line truncated by a full disk.
    return []
  }
}

function formatIncident({ time, where, class: name, code, trace_id, stack, left_out }: Incident): string {
  const what = code === null ? name : `${name} ${code}`
  const trace = trace_id === null ? '' : `, trace ${trace_id}`
  const more =
    left_out === undefined ? '' : ` (${left_out} more like this ${left_out === 1 ? 'was' : 'were'} left out)`
  return [
    `internal error: ${what} in ${where}${trace}, ${time}${more}`,
    ...stack.map((each) => `    at ${each}`),
  ].join('\n')
}
