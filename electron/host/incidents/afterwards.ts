import type { Report } from '../../engine/door/incident.ts'

/** Does work that nobody waits for, in a later turn. What fails in it, at once or later, is an incident and throws nothing. */
export function afterwards(report: Report, where: string, work: () => unknown): void {
  setImmediate(async () => {
    try {
      await work()
    } catch (error) {
      report(error, where)
    }
  })
}
