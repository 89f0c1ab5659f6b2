import { jobNames } from '../../../shared/host/events.ts'
import { incidentReport, pageIncident } from '../../../shared/schemas/incident.ts'
import { z } from '../../../shared/zod.ts'
import { defineAction, defineCommand } from './command.ts'

export const programCommands = {
  /** The internal errors, for a bug report. They contain no token data. */
  incidents: defineCommand({ output: incidentReport, handler: (host) => host.incidents.readReport() }),
  /** Reports an error of the page, so that it is listed among the incidents. */
  reportPage: defineAction({
    input: pageIncident,
    handler: (host, input) => host.incidents.reportPage(input),
  }),
  /** Cancels a job, if it is running. */
  cancel: defineAction({
    input: z.strictObject({ job: z.enum(jobNames) }),
    handler: (host, { job }) => host.jobs.cancelJob(job),
  }),
}
