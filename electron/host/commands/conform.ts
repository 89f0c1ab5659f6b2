import { conformReport } from '../../../shared/schemas/conform.ts'
import { z } from '../../../shared/zod.ts'
import { requireUnlocked } from '../../engine/index.ts'
import { defineCommand } from './command.ts'

const key = z.string().trim().min(1).max(200)

export const conformCommands = {
  /**
   * Checks the statements about the hosted service against a server, as the job `conform`. SECURITY: the keys are stored
   * nowhere, and calls go where the owner allows.
   */
  conform: defineCommand({
    input: z.strictObject({
      url: z.url({ protocol: /^https?$/ }).max(2000),
      key,
      management: key.optional(),
    }),
    output: z.strictObject({
      report: conformReport,
      /** The report as one page of HTML. */
      page: z.string(),
      /** The report as Markdown to send. */
      template: z.string(),
    }),
    async handler(host, { url, key: ownKey, management }) {
      const vault = requireUnlocked(host.openVault)
      // Loaded here, because few callers of the other commands need the statements.
      const { checkServer } = await import('../conform/check-server.ts')
      const { formatReportPage } = await import('../../conform/report-page.ts')
      const { formatReportTemplate } = await import('../../conform/report-text.ts')
      const { statements } = await import('../../conform/statements/index.ts')
      const { outbound, options } = host
      const server = { url, keys: { key: ownKey, management }, outbound, dataDir: options.dataDir }
      const report = await host.jobs.runJob('conform', (watch) =>
        checkServer(server, statements, vault.withLockAbort(watch)),
      )
      return { report, page: formatReportPage(report), template: formatReportTemplate(report) }
    },
  }),
}
