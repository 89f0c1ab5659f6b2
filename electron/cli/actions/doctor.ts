import { diagnoseVault, type Finding } from '../../host/doctor.ts'
import { getIncidents } from '../../host/incidents/incidents.ts'
import { formatVaultCommand } from '../hint.ts'
import { unlockLocation } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'
import { type Color, colorText } from '../terminal/table.ts'
import { printLine, toVaultLocation } from '../terminal/vault-options.ts'

export async function examineVault(options: {
  dataDir?: string
  vault: string
  open?: true
  json?: true
}): Promise<void> {
  const location = toVaultLocation(options)
  const { dataDir, vault: name } = location
  const open = options.open ? async () => (await unlockLocation(location)).master : undefined
  const formatHint = (vault: string, ...args: string[]) => formatVaultCommand({ dataDir, vault }, ...args)
  const findings = await withProgress('Checking', (watch) =>
    diagnoseVault({ dataDir, name, now: Date.now(), command: formatHint }, open, watch),
  )
  if (findings.some(({ state }) => state === 'fail')) process.exitCode = 1
  if (options.json) {
    return printLine(
      JSON.stringify({ vault: name, data_dir: dataDir, findings, incidents: readIncidents(dataDir) }),
    )
  }
  for (const finding of findings) printLine(formatFinding(finding))
}

const stateColors = { ok: 'green', warn: 'yellow', fail: 'red' } as const satisfies Record<
  Finding['state'],
  Color
>

function formatFinding({ about, state, text, todo }: Finding): string {
  return `${colorText(state.padEnd(4), stateColors[state])}  ${about.padEnd(11)}  ${text}${todo === undefined ? '' : ` ${todo}`}`
}

/**
 * Reads the count of internal errors. Returns null, which is reported as a problem, if the file that records
 * them cannot be read.
 */
function readIncidents(dataDir: string) {
  try {
    const { count, since, last, file } = getIncidents(dataDir).readReport()
    return { count, since, last, file }
  } catch {
    return null
  }
}
